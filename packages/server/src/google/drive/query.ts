import { DriveProblem } from './problem.ts';

/** Properties of a file that search conditions use. */
export interface SearchedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly trashed: boolean;
  readonly parents: readonly string[];
  readonly owners: readonly string[];
  readonly createdTime: string;
  readonly modifiedTime: string;
}

type FileCondition = (file: SearchedFile) => boolean;

const TOKEN = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(<=|>=|!=|=|<|>)|([()])|([A-Za-z][A-Za-z0-9]*))/y;

type QueryToken = { readonly kind: 'text' | 'mark' | 'word'; readonly text: string };

/** Compiles the `q` of a list of files; terms and grammar as in https://developers.google.com/drive/api/guides/ref-search-terms. */
export function compileFileQuery(text: string): FileCondition {
  if (text.trim() === '') return () => true;
  if (text.length > MAX_QUERY_LENGTH) throw createInvalidQueryProblem();
  const parser = new QueryParser(tokenizeQuery(text));
  const condition = parser.parseOr(0);
  if (!parser.isAtEnd) throw createInvalidQueryProblem();
  return condition;
}

const MAX_QUERY_LENGTH = 10_000;
const MAX_DEPTH = 20;

function createInvalidQueryProblem(): DriveProblem {
  return new DriveProblem(400, 'invalid', 'Invalid Value', 'q');
}

function tokenizeQuery(text: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const found = TOKEN.exec(trimmed);
    if (found === null) throw createInvalidQueryProblem();
    const [, single, double, comparison, bracket, word] = found;
    const quoted = single ?? double;
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll(/\\(.)/g, '$1') });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else tokens.push({ kind: 'mark', text: comparison ?? bracket ?? '' });
  }
  return tokens;
}

class QueryParser {
  private readonly tokens: readonly QueryToken[];
  private at = 0;

  constructor(tokens: readonly QueryToken[]) {
    this.tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.at >= this.tokens.length;
  }

  /** Parses conditions joined by `or`. Throws a `DriveProblem` if they are nested more than `MAX_DEPTH` levels deep. */
  parseOr(depth: number): FileCondition {
    if (depth > MAX_DEPTH) throw createInvalidQueryProblem();
    const conditions = [this.parseConjunction(depth)];
    while (this.takeWord('or')) conditions.push(this.parseConjunction(depth));
    return (file) => conditions.some((condition) => condition(file));
  }

  private parseConjunction(depth: number): FileCondition {
    const conditions = [this.parseTerm(depth)];
    while (this.takeWord('and')) conditions.push(this.parseTerm(depth));
    return (file) => conditions.every((condition) => condition(file));
  }

  /** Parses a negation, a condition in parentheses, or a comparison. */
  private parseTerm(depth: number): FileCondition {
    if (this.takeWord('not')) {
      const condition = this.parseTerm(depth + 1);
      return (file) => !condition(file);
    }
    if (this.takePunctuation('(')) {
      const condition = this.parseOr(depth + 1);
      if (!this.takePunctuation(')')) throw createInvalidQueryProblem();
      return condition;
    }
    const token = this.takeToken();
    if (token.kind === 'text') return this.parseMembership(token.text);
    if (token.kind === 'word') return this.parseComparison(token.text);
    throw createInvalidQueryProblem();
  }

  /** Parses the rest of `'value' in parents` (or owners, writers, readers). */
  private parseMembership(value: string): FileCondition {
    if (!this.takeWord('in')) throw createInvalidQueryProblem();
    const list = this.takeToken().text;
    if (list === 'parents') return ({ parents }) => parents.includes(value);
    if (list === 'owners') return ({ owners }) => owners.includes(value) || value === 'me';
    if (list === 'writers' || list === 'readers') return ({ owners }) => owners.includes(value);
    throw createInvalidQueryProblem();
  }

  /** Parses the rest of a comparison such as `name contains 'x'`, after its field. */
  private parseComparison(field: string): FileCondition {
    const operator = this.takeToken().text;
    const { text, kind } = this.takeToken();
    const compared = findFieldReader(field);
    if (compared === null) throw createInvalidQueryProblem();
    if (operator === 'contains' && kind === 'text') {
      const query = text.toLowerCase();
      return (file) => String(compared(file)).toLowerCase().includes(query);
    }
    if (operator === '=') return (file) => String(compared(file)) === text;
    if (operator === '!=') return (file) => String(compared(file)) !== text;
    const time = Date.parse(text);
    const compare = ORDERS[operator];
    if (compare === undefined || Number.isNaN(time)) throw createInvalidQueryProblem();
    return (file) => compare(Date.parse(String(compared(file))) - time);
  }

  private takeToken(): QueryToken {
    const token = this.tokens[this.at++];
    if (token === undefined) throw createInvalidQueryProblem();
    return token;
  }

  /** Skips the next token and returns true if it is this word, in any case. */
  private takeWord(word: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false;
    this.at++;
    return true;
  }

  private takePunctuation(mark: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'mark' || token.text !== mark) return false;
    this.at++;
    return true;
  }
}

const ORDERS: Readonly<Record<string, (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** The function that reads a field of the search language from a file; null for an unknown field. */
function findFieldReader(field: string): ((file: SearchedFile) => unknown) | null {
  switch (field) {
    case 'name':
    case 'title':
    case 'fullText':
      return ({ name }) => name;
    case 'mimeType':
      return ({ mimeType }) => mimeType;
    case 'trashed':
      return ({ trashed }) => trashed;
    case 'sharedWithMe':
    case 'starred':
      return () => false;
    case 'createdTime':
      return ({ createdTime }) => createdTime;
    case 'modifiedTime':
      return ({ modifiedTime }) => modifiedTime;
    default:
      return null;
  }
}
