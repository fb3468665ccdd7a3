import { getRelationshipsPart, type Relationship } from '../relationships.ts';
import { formatRelationshipsXml, type OutputRelationship, RelationshipList } from '../workbook-xml.ts';
import { visitReferences } from './part-references.ts';
import { decompressPart, type PreservedPart } from './preserved-part.ts';

/** A part of the package to write. */
export interface OutputPart {
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  readonly content: () => Iterable<Buffer>;
}

/** Current cell references, by the part that contains them. */
export type PartReferences = ReadonlyMap<string, readonly string[]>;

/** Kinds of parts that several sheets may share; all others are copied for each sheet. */
const SHARED_KINDS = new Set(['image', 'pivotCacheDefinition', 'pivotCacheRecords', 'oleObject', 'package', 'person']);

/** Copies preserved parts to the export if something references them. */
export class PartCopier {
  readonly written: OutputPart[] = [];
  private readonly parts: ReadonlyMap<string, PreservedPart>;
  /** Lower-case names of parts. */
  private readonly taken = new Set<string>();
  private readonly shared = new Map<string, string>();

  constructor(parts: readonly PreservedPart[], usedNames: Iterable<string>) {
    this.parts = new Map(parts.map((part) => [part.name.toLowerCase(), part]));
    for (const name of usedNames) this.taken.add(name.toLowerCase());
  }

  get(name: string): PreservedPart | undefined {
    return this.parts.get(name.toLowerCase());
  }

  /** Reserves a unique part name: the given name, or a similar one. */
  claimPartName(name: string): string {
    const dot = name.lastIndexOf('.');
    const [stem, ending] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
    let free = name;
    for (let n = 2; this.taken.has(free.toLowerCase()); n++) free = `${stem}_${n}${ending}`;
    this.taken.add(free.toLowerCase());
    return free;
  }

  /**
   * Returns the relationships to write for the given ones, and copies their target parts. `ownCopies`: names of the
   * sheet's copies, by original name.
   */
  copyRelationships(
    relationships: readonly Relationship[],
    references: PartReferences,
    ownCopies: Map<string, string>,
  ): readonly OutputRelationship[] {
    return relationships.flatMap(({ id, kind, type, target, address, isExternal }): OutputRelationship[] => {
      if (isExternal) return [{ id, type, target: address, isExternal }];
      const part = this.get(target);
      // Targets that are not parts are written unchanged, for example positions in the workbook.
      if (part === undefined) return address.startsWith('#') ? [{ id, type, target: address, isExternal: true }] : [];
      const copiedNames = SHARED_KINDS.has(kind) ? this.shared : ownCopies;
      return [
        {
          id,
          type,
          target: `/${copiedNames.get(part.name) ?? this.copyPart(part, references, ownCopies, copiedNames)}`,
          isExternal,
        },
      ];
    });
  }

  /** Copies a part and the parts it refers to under free names. Returns the new name. */
  private copyPart(
    part: PreservedPart,
    references: PartReferences,
    ownCopies: Map<string, string>,
    copiedNames: Map<string, string>,
  ): string {
    const name = this.claimPartName(part.name);
    copiedNames.set(part.name, name);
    this.written.push({ name, type: part.type, content: () => [applyReferences(part, references.get(part.name))] });
    const links = new RelationshipList();
    for (const link of this.copyRelationships(part.relationships, references, ownCopies))
      links.addExistingRelationship(link);
    if (links.list.length > 0) {
      const content = () => [Buffer.from(formatRelationshipsXml(links.list))];
      this.written.push({ name: getRelationshipsPart(name), type: '', content });
    }
    return name;
  }
}

/** The content with these references to cells in place of its own, in their order. */
function applyReferences(part: PreservedPart, references: readonly string[] | undefined): Buffer {
  const content = decompressPart(part);
  if (references === undefined) return content;
  let at = 0;
  const before = content.toString();
  const after = visitReferences(part.type, before, (was) => {
    const is = references[at++];
    return is === undefined || is === was ? null : is;
  });
  return after === before ? content : Buffer.from(after);
}
