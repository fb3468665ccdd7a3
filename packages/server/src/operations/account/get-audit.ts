import { Type } from 'typebox';
import { DEFAULT_AUDIT_PAGE, MAX_AUDIT_PAGE } from '../../limits/requests.ts';
import { getAudit as readAudit } from '../../service/history/audit-log.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { Count, REFUSALS, Time } from '../schemas/answers.ts';
import { DocumentPath, defineCount, defineQuery, Offset } from '../schemas/requests.ts';

const AuditQuery = defineQuery({
  offset: Type.Optional(Offset),
  limit: Type.Optional(defineCount(1, '50 by default, capped at 200.')),
});

const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    action: Type.String(),
    origin: Type.String(),
    userId: Type.Integer(),
    userName: Type.String(),
    token: Type.String(),
    requestId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Id of the request that caused the entry.',
    }),
    properties: Type.Object({
      range: Type.String(),
      cells: Count,
      webhook: Type.Optional(Type.Integer({ description: 'For entries about a subscription: its number.' })),
      address: Type.Optional(
        Type.String({ description: 'The address of the subscription; only its host for other users than its owners.' }),
      ),
    }),
    createdAt: Time,
  },
  { title: 'AuditEntry' },
);

const Audit = Type.Object({
  audit: Type.Object({
    entries: Type.Array(AuditEntry),
    total: Count,
    offset: Count,
    limit: Count,
    tokens: Type.Array(Type.String()),
  }),
});

const ENTRY_EXAMPLE = {
  id: 10,
  action: 'update',
  origin: 'api',
  userId: 1,
  userName: 'Owner',
  token: 'import',
  requestId: '7e0b1f9c-2f4e-4f0e-9d2a-0d4f6f0c5b11',
  properties: { range: 'Orders!B3', cells: 1 },
  createdAt: '2026-11-20T23:11:24.382Z',
};

export const getAudit = defineRead({
  id: 'getAudit',
  http: { method: 'GET', path: '/documents/{document}/audit' },
  requires: { scope: 'sheets.read', feature: 'sheetOperations' },
  tag: 'Audit',
  summary: 'List changes made through the API and integrations, newest first',
  description: 'Changes made through the API and integrations, newest first, with the names of all tokens in the log.',
  params: DocumentPath,
  query: AuditQuery,
  answers: { 200: Audit, ...REFUSALS },
  example: { answer: { audit: { entries: [ENTRY_EXAMPLE], total: 10, offset: 0, limit: 50, tokens: ['import'] } } },

  async run({ context, document }, { offset = 0, limit = DEFAULT_AUDIT_PAGE }) {
    const page = { offset, limit: Math.min(limit, MAX_AUDIT_PAGE) };
    return toJsonContent({ audit: await readAudit(context, document, page) });
  },
});
