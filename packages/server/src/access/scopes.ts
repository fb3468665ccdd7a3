/** Scopes of tokens. */
export const SCOPES = [
  'sheets.read',
  'sheets.write',
  'sheets.webhooks',
  'sheets.crossbook.read',
  'sheets.agent.write',
  'documents.write',
] as const;

export type TokenScope = (typeof SCOPES)[number];

/** What each scope allows, for help texts. */
export const SCOPE_TEXTS: readonly { readonly name: TokenScope; readonly allows: string }[] = [
  { name: 'sheets.read', allows: 'read documents and cells' },
  { name: 'sheets.write', allows: 'write cells, work with sheets' },
  { name: 'sheets.webhooks', allows: 'create, list and delete webhooks' },
  { name: 'sheets.crossbook.read', allows: 'read several documents in one call' },
  { name: 'sheets.agent.write', allows: "write on behalf of an AI agent, within the plan's quota" },
  { name: 'documents.write', allows: 'create, copy, rename, delete and share documents, protect sheets' },
];

export function isScope(text: string): text is TokenScope {
  return (SCOPES as readonly string[]).includes(text);
}

/** Whether scopes include `scope`. The agents' scope includes `sheets.write`. */
export function grantsScope(scopes: ReadonlySet<TokenScope>, scope: TokenScope): boolean {
  return scopes.has(scope) || (scope === 'sheets.write' && scopes.has('sheets.agent.write'));
}

/**
 * Whether a token belongs to an agent: it can write only as one. Its requests are counted and its writes are marked.
 */
export function isAgentToken(scopes: ReadonlySet<TokenScope>): boolean {
  return scopes.has('sheets.agent.write') && !scopes.has('sheets.write');
}
