import { type Browser, createPerson, signInAs } from './browser.ts';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

export const ROWS = 8;
export const COLUMNS = 4;
/** The sheet of each book. */
export const sheet = 'Sheet1';

type Headers = Readonly<Record<string, string>>;

/** Sends a write of a console page. */
export type SendWrite = (book: Api, headers: Headers) => Promise<ApiResponse>;

/** Documents that programs change, and a signed-in page of the console that writes to them. */
export class WrittenBooks {
  readonly browser: Browser;
  readonly world: World;
  private readonly token: string;
  private readonly owner: string;

  private constructor(world: World, browser: Browser, token: string, owner: string) {
    this.world = world;
    this.browser = browser;
    this.token = token;
    this.owner = owner;
  }

  /** Starts a service, and signs a person in. */
  static async start(): Promise<WrittenBooks> {
    const world = await startWorld();
    const anna = await createPerson(world);
    const owner = String(anna.id);
    return new WrittenBooks(world, await signInAs(world, anna), await world.createToken(owner), owner);
  }

  async createEmpty(): Promise<Api> {
    return this.world.apiFor(this.token, await this.world.createDocument(this.owner));
  }

  /** Creates a document with a different text in each cell. */
  async create(): Promise<Api> {
    const book = await this.createEmpty();
    const rows = Array.from({ length: ROWS }, (_, i) =>
      Array.from({ length: COLUMNS }, (_unused, j) => formatCellText(i, j)),
    );
    await book.put('A1', rows);
    return book;
  }

  /** `root`: `/api` for the routes of the API, empty for the routes of the console. */
  send(
    book: Api,
    headers: Headers,
    method: string,
    root: '/api' | '',
    path: string,
    body: object,
  ): Promise<ApiResponse> {
    return this.browser.request(method, `${root}/documents/${book.document}${path}`, { body, headers });
  }

  /** A write that performs one operation of `POST …/structure` on a page of the console. */
  createStructureWrite(operation: object): SendWrite {
    return (book, headers) => this.send(book, headers, 'POST', '/api', '/structure', { operations: [operation] });
  }

  close(): Promise<void> {
    return this.world.close();
  }
}

/** Formats a text whose sort order differs from the order of the rows. */
export function formatCellText(row: number, column: number): string {
  return `${'dbhafceg'[(row + column) % ROWS]}${row}${column}`;
}

export function formatAddress(row: number, column: number): string {
  return `${'ABCD'[column]}${row + 1}`;
}

/** Texts of all cells by their addresses. */
export async function readTexts(book: Api): Promise<ReadonlyMap<string, string>> {
  const { sheets } = (await book.requestInDocument('GET', '/sheets')).body;
  const textByAddress = new Map<string, string>();
  for (const { name } of sheets as unknown as readonly { name: string }[]) {
    const cells = (await readPlainValues(book, `'${name}'!A1:L30`)) as readonly (readonly unknown[])[];
    for (const [i, line] of cells.entries()) {
      for (const [j, value] of line.entries())
        if (value !== null) textByAddress.set(`${name}!${i}.${j}`, String(value));
    }
  }
  return textByAddress;
}

/** The plain values of a range. */
export async function readPlainValues(book: Api, range: string): Promise<unknown> {
  return memberAt((await book.get(range, { render: 'plain' })).body, 'values')['cells'];
}
