/** What a token may be made for; see the contract's Authentication and decisions §9 and §13.5. */
export const SCOPES = [
  'sheets.read',
  'sheets.write',
  'sheets.webhooks',
  'sheets.crossbook.read',
  'sheets.agent.write',
  'documents.write',
] as const;

export type TokenScope = (typeof SCOPES)[number];

/** What each allows, in plain words. */
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

/** Whether a token with these scopes may do what needs `scope`: an agent's scope stands in for writing. */
export function grantsScope(scopes: ReadonlySet<TokenScope>, scope: TokenScope): boolean {
  return scopes.has(scope) || (scope === 'sheets.write' && scopes.has('sheets.agent.write'));
}

/** A token that can write for an agent only is an agent's: its requests are counted, its writes marked. */
export function isAgentToken(scopes: ReadonlySet<TokenScope>): boolean {
  return scopes.has('sheets.agent.write') && !scopes.has('sheets.write');
}
