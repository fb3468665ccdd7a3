import { buffer } from 'node:stream/consumers';
import type { Parts } from '../../archive/zip-reader.ts';
import { MAX_CARRIED_BYTES, MAX_CARRIED_PART_BYTES, MAX_CARRIED_PARTS } from '../../limits/limits.ts';
import { isRefusal } from '../../outcome/refusal.ts';
import { type Relationship, readRelationships } from '../relationships.ts';
import { transitionalPart } from '../strict.ts';
import { type CarriedPart, packed } from './carried-part.ts';
import type { ContentTypes } from './content-types.ts';

/** Kinds of relationships to parts that are never preserved: programs, and parts that the export generates. */
const NEVER = new Set([
  'vbaProject',
  'vbaProjectSignature',
  'attachedToolbars',
  'worksheet',
  'chartsheet',
  'dialogsheet',
  'xlMacrosheet',
  'xlIntlMacrosheet',
  'officeDocument',
  'styles',
  'sharedStrings',
  'table',
]);

/** Collects parts of a package with everything that they reference, within the limits. */
export class PartCollector {
  private readonly source: Parts;
  private readonly types: ContentTypes;
  /** By lower-case name. */
  private readonly held = new Map<string, CarriedPart>();
  private bytes = 0;

  constructor(source: Parts, types: ContentTypes) {
    this.source = source;
    this.types = types;
  }

  get parts(): readonly CarriedPart[] {
    return [...this.held.values()];
  }

  has(name: string): boolean {
    return this.held.has(name.toLowerCase());
  }

  get(name: string): CarriedPart | undefined {
    return this.held.get(name.toLowerCase());
  }

  /**
   * Collects a part and everything that it references, or nothing if a limit is reached. Returns whether it was
   * collected.
   */
  async carry(name: string): Promise<boolean> {
    if (this.has(name)) return true;
    const found = new Map<string, CarriedPart>();
    let bytes = 0;
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next.toLowerCase()) || this.has(next)) continue;
      const part = await this.read(next);
      bytes += part?.bytes.length ?? 0;
      const isTooMuch = bytes + this.bytes > MAX_CARRIED_BYTES || found.size + this.held.size >= MAX_CARRIED_PARTS;
      if (part === null || isTooMuch) return false;
      found.set(next.toLowerCase(), part);
      open.push(...part.relationships.filter((one) => this.leads(one)).map(({ target }) => target));
    }
    for (const [key, part] of found) this.held.set(key, part);
    this.bytes += bytes;
    return true;
  }

  private leads({ kind, target, isExternal }: Relationship): boolean {
    return !isExternal && !NEVER.has(kind) && this.source.has(target);
  }

  private async read(name: string): Promise<CarriedPart | null> {
    if (!this.source.has(name) || this.source.size(name) > MAX_CARRIED_PART_BYTES) return null;
    const [source, relationships] = [await this.source.read(name), await readRelationships(this.source, name)];
    if (isRefusal(source) || isRefusal(relationships)) return null;
    try {
      const content = await buffer(source);
      const kept = relationships.filter(({ kind }) => !NEVER.has(kind));
      const type = this.types.typeOf(name);
      const written = type.endsWith('xml') ? transitionalPart(content) : content;
      return { name, type, relationships: kept, bytes: packed(written) };
    } catch {
      // The content does not match its declared size.
      return null;
    }
  }
}
