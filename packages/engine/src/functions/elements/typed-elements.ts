import { BOOLEAN, EMPTY, ERROR, NUMBER, TEXT } from '../../sheet/cell-kind.ts';
import { errorByIndex } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import type { TextIds } from './text-ids.ts';

/** A set of kinds of elements: bit `1 << kind` for each. */
export type KindSet = number;

/** Kinds whose entry in `numbers` is the number that arithmetic uses. */
export const NUMERIC: KindSet = (1 << NUMBER) | (1 << BOOLEAN) | (1 << EMPTY);
export const ERRORS: KindSet = 1 << ERROR;

/**
 * The elements of an array as typed arrays. Operators on them need a tenth of the time of operators on scalars, because
 * they create no object for an element.
 */
export class TypedElements {
  /** By kind: the number; 1 or 0 for a boolean; 0 for a blank; the id of a text in `texts`; the index of an error. */
  readonly numbers: Float64Array;
  /** The type of each element (`sheet/cell-kind.ts`); a single type if all elements have the same. */
  readonly kinds: Uint8Array | number;
  /** Exactly the kinds of the elements. */
  readonly present: KindSet;
  /** The texts of the elements; null if none is a text. */
  readonly texts: TextIds | null;

  constructor(numbers: Float64Array, kinds: Uint8Array | number, present: KindSet, texts: TextIds | null = null) {
    this.numbers = numbers;
    this.kinds = kinds;
    this.present = present;
    this.texts = texts;
  }

  /** Creates elements of one kind. */
  static ofKind(numbers: Float64Array, kind: number): TypedElements {
    return new TypedElements(numbers, kind, 1 << kind);
  }

  /**
   * Creates elements from a list of kinds, which is dropped if all elements have the same kind. `present`: the kinds in
   * the list.
   */
  static ofKinds(
    numbers: Float64Array,
    kinds: Uint8Array,
    texts: TextIds | null,
    present: KindSet = listKinds(kinds, 0, kinds.length),
  ): TypedElements {
    const only = 31 - Math.clz32(present);
    const isUniform = present === 1 << only;
    return new TypedElements(numbers, isUniform ? only : kinds, present, (present & (1 << TEXT)) === 0 ? null : texts);
  }

  get length(): number {
    return this.numbers.length;
  }

  /** True if all elements have one of the kinds. */
  consistsOf(kinds: KindSet): boolean {
    return (this.present & ~kinds) === 0;
  }

  get hasErrors(): boolean {
    return (this.present & ERRORS) !== 0;
  }

  kindAt(index: number): number {
    return typeof this.kinds === 'number' ? this.kinds : this.kinds[index]!;
  }

  /** The element; blank outside the array. */
  get(index: number): Scalar {
    const number = this.numbers[index];
    if (number === undefined) return null;
    switch (this.kindAt(index)) {
      case NUMBER:
        return number;
      case BOOLEAN:
        return number !== 0;
      case TEXT:
        return this.texts!.textOf(number);
      case ERROR:
        return errorByIndex(number);
      default:
        return null;
    }
  }

  /** The index of the first number that equals `value`; -1 if there is none. */
  findNumber(value: number): number {
    let at = this.numbers.indexOf(value);
    while (at >= 0 && this.kindAt(at) !== NUMBER) at = this.numbers.indexOf(value, at + 1);
    return at;
  }

  toScalars(): Scalar[] {
    const { numbers } = this;
    const data: Scalar[] = new Array(numbers.length);
    // V8 stores an array that contains only numbers without an object for each.
    if (this.kinds === NUMBER) for (let i = 0; i < numbers.length; i++) data[i] = numbers[i]!;
    else for (let i = 0; i < numbers.length; i++) data[i] = this.get(i);
    return data;
  }
}

/** The kinds of some elements. */
export function listKinds(kinds: Uint8Array, from: number, end: number): KindSet {
  let present = 0;
  for (let i = from; i < end; i++) present |= 1 << kinds[i]!;
  return present;
}

/** Returns a scalar as one typed element; `texts` gets the text of a text. */
export function toTypedElement(value: Scalar, texts: TextIds): TypedElements {
  if (typeof value === 'number') return TypedElements.ofKind(Float64Array.of(value), NUMBER);
  if (typeof value === 'boolean') return TypedElements.ofKind(Float64Array.of(Number(value)), BOOLEAN);
  if (typeof value === 'string') return new TypedElements(Float64Array.of(texts.toId(value)), TEXT, 1 << TEXT, texts);
  if (isError(value)) return TypedElements.ofKind(Float64Array.of(value.index), ERROR);
  return TypedElements.ofKind(Float64Array.of(0), EMPTY);
}
