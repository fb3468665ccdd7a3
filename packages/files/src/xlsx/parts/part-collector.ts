import { buffer } from 'node:stream/consumers';
import type { PackageParts } from '../../archive/package-parts.ts';
import { MAX_CARRIED_BYTES, MAX_CARRIED_PART_BYTES, MAX_CARRIED_PARTS } from '../../limits/limits.ts';
import { isRefusal } from '../../outcome/refusal.ts';
import { type Relationship, readRelationships } from '../relationships.ts';
import { toTransitionalPart } from '../strict.ts';
import type { ContentTypes } from './content-types.ts';
import { compressPart, type PreservedPart } from './preserved-part.ts';

/** Kinds of relationships to parts that are never preserved: programs, and parts that the export generates. */
const EXCLUDED_KINDS = new Set([
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
  private readonly source: PackageParts;
  private readonly types: ContentTypes;
  /** Collected parts by lower-case name. */
  private readonly collected = new Map<string, PreservedPart>();
  private bytes = 0;

  constructor(source: PackageParts, types: ContentTypes) {
    this.source = source;
    this.types = types;
  }

  get parts(): readonly PreservedPart[] {
    return [...this.collected.values()];
  }

  has(name: string): boolean {
    return this.collected.has(name.toLowerCase());
  }

  get(name: string): PreservedPart | undefined {
    return this.collected.get(name.toLowerCase());
  }

  /**
   * Collects a part and everything that it references, or nothing if a limit is reached. Returns true if it was
   * collected.
   */
  async collectPart(name: string): Promise<boolean> {
    if (this.has(name)) return true;
    const parts = new Map<string, PreservedPart>();
    let bytes = 0;
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (parts.has(next.toLowerCase()) || this.has(next)) continue;
      const part = await this.readPart(next);
      bytes += part?.bytes.length ?? 0;
      const isTooMuch = bytes + this.bytes > MAX_CARRIED_BYTES || parts.size + this.collected.size >= MAX_CARRIED_PARTS;
      if (part === null || isTooMuch) return false;
      parts.set(next.toLowerCase(), part);
      open.push(...part.relationships.filter((one) => this.isFollowed(one)).map(({ target }) => target));
    }
    for (const [key, part] of parts) this.collected.set(key, part);
    this.bytes += bytes;
    return true;
  }

  /** True if the target of the relationship is a part of this file that is kept. */
  private isFollowed({ kind, target, isExternal }: Relationship): boolean {
    return !isExternal && !EXCLUDED_KINDS.has(kind) && this.source.has(target);
  }

  /** A part with its relationships; null if it is absent, too large or unreadable. */
  private async readPart(name: string): Promise<PreservedPart | null> {
    if (!this.source.has(name) || this.source.size(name) > MAX_CARRIED_PART_BYTES) return null;
    const [source, relationships] = [await this.source.read(name), await readRelationships(this.source, name)];
    if (isRefusal(source) || isRefusal(relationships)) return null;
    try {
      const content = await buffer(source);
      const kept = relationships.filter(({ kind }) => !EXCLUDED_KINDS.has(kind));
      const type = this.types.findContentType(name);
      const written = type.endsWith('xml') ? toTransitionalPart(content) : content;
      return { name, type, relationships: kept, bytes: compressPart(written) };
    } catch {
      // The content does not match its declared size.
      return null;
    }
  }
}
