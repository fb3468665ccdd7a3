import type { Sheet } from '../generated/api.ts';
import { joinPath } from '../http/address.ts';
import { Resource } from './resource.ts';
import type { Answer, BodyOptions, QueryOptions } from './types.ts';

/** The sheets of a document. */
export class Sheets extends Resource {
  async list(options: QueryOptions<'listSheets'> = {}): Promise<readonly Sheet[]> {
    return (await this.getJson<Answer<'listSheets'>>('', options)).sheets;
  }

  /** Adds a sheet. The name is the first argument or an option. Without `name` the service chooses one. */
  create(name?: string, options?: BodyOptions<'addSheet', 'name'>): Promise<Answer<'addSheet'>>;
  create(options: BodyOptions<'addSheet'>): Promise<Answer<'addSheet'>>;
  create(
    name?: string | BodyOptions<'addSheet'>,
    options: BodyOptions<'addSheet', 'name'> = {},
  ): Promise<Answer<'addSheet'>> {
    if (typeof name === 'object') return this.sendWrite('POST', '', {}, name);
    return this.sendWrite('POST', '', name === undefined ? {} : { name }, options);
  }

  rename(
    sheet: string,
    name: string,
    options: BodyOptions<'renameSheet', 'name'> = {},
  ): Promise<Answer<'renameSheet'>> {
    return this.sendWrite('PATCH', joinPath(sheet), { name }, options);
  }

  /** Hides a sheet in the console, or shows it again. */
  hide(
    sheet: string,
    hidden: boolean,
    options: BodyOptions<'renameSheet', 'name' | 'hidden'> = {},
  ): Promise<Answer<'renameSheet'>> {
    return this.sendWrite('PATCH', joinPath(sheet), { hidden }, options);
  }

  delete(sheet: string, options: QueryOptions<'deleteSheet'> = {}): Promise<Answer<'deleteSheet'>> {
    return this.sendInQuery('DELETE', joinPath(sheet), options);
  }

  async protection(
    sheet: string,
    options: QueryOptions<'getProtection'> = {},
  ): Promise<Answer<'getProtection'>['protection']> {
    return (await this.getJson<Answer<'getProtection'>>(`${joinPath(sheet)}/protection`, options)).protection;
  }

  /** Hides a sheet's values or locks it. Replaces its previous protection. */
  protect(sheet: string, options: BodyOptions<'protectSheet'> = {}): Promise<Answer<'protectSheet'>> {
    return this.sendInBody('PUT', `${joinPath(sheet)}/protection`, {}, options);
  }

  unprotect(sheet: string, options: QueryOptions<'unprotectSheet'> = {}): Promise<Answer<'unprotectSheet'>> {
    return this.sendInQuery('DELETE', `${joinPath(sheet)}/protection`, options);
  }
}
