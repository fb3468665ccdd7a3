import type { Edit, Sheet, Snapshot } from '@cellwire/engine';
import { readFormatRules, replaceFormatRules } from '../sheets/rules.ts';
import type { StoredObject } from '../sheets/state.ts';

export type FormatRule = Pick<StoredObject, 'areas' | 'value'>;

interface FormatRuleList {
  readonly snapshot: Snapshot;
  readonly sheet: Sheet;
  rules: readonly FormatRule[];
  isChanged: boolean;
}

/** Conditional formats that requests of a batch change. All changes of one sheet become one edit. */
export class FormatRuleLists {
  private readonly lists = new Map<number, FormatRuleList>();

  /** The rules of a sheet; undefined if they were not opened since the last edit. */
  getOpenRules(sheet: number): readonly FormatRule[] | undefined {
    return this.lists.get(sheet)?.rules;
  }

  /** Reads the rules of a sheet and keeps them for changes by the following requests. */
  openRules(snapshot: Snapshot, sheet: Sheet): readonly FormatRule[] {
    const rules = readFormatRules(snapshot, sheet);
    this.lists.set(sheet.id, { snapshot, sheet, rules, isChanged: false });
    return rules;
  }

  /** Replaces the opened rules of a sheet; `closeLists` stores them. */
  replaceRules(sheet: number, rules: readonly FormatRule[]): void {
    const list = this.lists.get(sheet);
    if (list === undefined) throw new Error(`the rules of sheet ${sheet} are not open`);
    list.rules = rules;
    list.isChanged = true;
  }

  /** Closes all lists and returns the edits that store their changes. */
  closeLists(): readonly Edit[] {
    const changed = [...this.lists.values()].filter(({ isChanged }) => isChanged);
    this.lists.clear();
    return changed.flatMap(({ snapshot, sheet, rules }) => replaceFormatRules(snapshot, sheet, rules));
  }
}
