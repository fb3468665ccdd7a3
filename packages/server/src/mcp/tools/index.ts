import type { ToolDefinition } from '../tool.ts';
import { calculateTool } from './calculate.ts';
import { describeDocumentTool, listDocumentsTool } from './documents.ts';
import { findTool } from './find.ts';
import { historyTool, proposalsTool } from './history.ts';
import { queryRecordsTool } from './query-records.ts';
import { readRangeTool } from './read-range.ts';
import {
  appendRecordsTool,
  changeStructureTool,
  deleteRecordsTool,
  manageSheetsTool,
  undoTool,
  upsertRecordsTool,
  writeRangesTool,
} from './writing.ts';

/** The tools in the order of `tools/list`. */
export const TOOLS: readonly ToolDefinition[] = [
  listDocumentsTool,
  describeDocumentTool,
  readRangeTool,
  queryRecordsTool,
  findTool,
  calculateTool,
  writeRangesTool,
  appendRecordsTool,
  upsertRecordsTool,
  deleteRecordsTool,
  manageSheetsTool,
  changeStructureTool,
  historyTool,
  undoTool,
  proposalsTool,
];
