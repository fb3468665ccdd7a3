import type { PackageParts } from '../archive/package-parts.ts';
import { readXml, type XmlAttributes, type XmlHandler } from '../archive/xml.ts';
import type { FileRefusal } from '../outcome/refusal.ts';
import { toTransitionalXml } from './strict.ts';

export interface Relationship {
  readonly id: string;
  /** Last segment of the type URI, which is the same in both namespaces of the standard: `worksheet`, `styles`. */
  readonly kind: string;
  /** Full type URI, in transitional form. */
  readonly type: string;
  /** Path of the target part from the root of the package; for an external target its address. */
  readonly target: string;
  /** The target, unchanged from the file. */
  readonly address: string;
  readonly isExternal: boolean;
}

/** Reads the relationships of a part; empty if it has none. */
export async function readRelationships(
  parts: PackageParts,
  part: string,
): Promise<readonly Relationship[] | FileRefusal> {
  const name = getRelationshipsPart(part);
  if (!parts.has(name)) return [];
  const handler = new RelationshipsHandler(part);
  const refusal = await readXml(name, await parts.read(name), handler);
  return refusal ?? handler.relationships;
}

/**
 * Returns the name of the part with the relationships of a part: `xl/workbook.xml` → `xl/_rels/workbook.xml.rels`. For
 * the empty name, returns the part with the relationships of the package.
 */
export function getRelationshipsPart(part: string): string {
  const slash = part.lastIndexOf('/') + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

class RelationshipsHandler implements XmlHandler {
  readonly relationships: Relationship[] = [];
  private readonly base: string;

  constructor(part: string) {
    this.base = part;
  }

  openElement(name: string, attributes: XmlAttributes): void {
    const { Id, Type, Target, TargetMode } = attributes;
    if (name !== 'Relationship') return;
    if (Id === undefined || Type === undefined || Target === undefined) return;
    const kind = Type.slice(Type.lastIndexOf('/') + 1);
    const isExternal = TargetMode === 'External';
    const target = isExternal ? Target : resolveTarget(this.base, Target);
    this.relationships.push({ id: Id, kind, type: toTransitionalXml(Type), target, address: Target, isExternal });
  }

  closeElement(): void {}
}

/** Resolves a target relative to the part that contains it: `xl/workbook.xml` and `../a.xml` → `a.xml`. */
function resolveTarget(base: string, target: string): string {
  const path = target.replaceAll('\\', '/');
  const steps = path.startsWith('/') ? [] : base.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

/** Returns the target of the first internal relationship of a kind. */
export function findTarget(relationships: readonly Relationship[], kind: string): string | undefined {
  return relationships.find(({ kind: own, isExternal }) => own === kind && !isExternal)?.target;
}

/** Returns the main part of the workbook: from the package's relationships, else the name that Excel uses. */
export function findWorkbookPart(relationships: readonly Relationship[]): string {
  return findTarget(relationships, 'officeDocument') ?? 'xl/workbook.xml';
}
