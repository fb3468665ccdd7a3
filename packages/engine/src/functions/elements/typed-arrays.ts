import { BOOLEAN, ERROR, NUMBER, TEXT } from '../../sheet/cell-kind.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { ArrayMeter, WorkMeter } from '../context.ts';
import { runInSteps } from '../run-in-steps.ts';
import { Matrix } from '../value.ts';
import { TextIds } from './text-ids.ts';
import { ERRORS, NUMERIC, TypedElements, toTypedElement } from './typed-elements.ts';

/**
 * Selects elements as IF does for an array of conditions. Returns null if an operand has no typed elements, another size
 * or texts with ids of another table, or if a condition is a text.
 */
export function chooseTypedElements(
  context: ArrayMeter,
  conditions: Matrix,
  yes: Scalar | Matrix,
  no: Scalar | Matrix,
): TypedElements | null {
  const tests = conditions.elements;
  if (tests === null || !tests.consistsOf(NUMERIC | ERRORS)) return null;
  const texts = findTexts(yes) ?? findTexts(no) ?? new TextIds();
  const a = toChoice(yes, conditions, texts);
  const b = toChoice(no, conditions, texts);
  if (a === null || b === null) return null;
  const numbers = context.takeNumbers(tests.length);
  const kinds = context.takeKinds(tests.length);
  const [da, db] = [a.length === 1 ? 0 : 1, b.length === 1 ? 0 : 1];
  runInSteps(context, numbers.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const isError = tests.kindAt(at) === ERROR;
      const isTrue = tests.numbers[at] !== 0;
      const chosen = isError ? tests : isTrue ? a : b;
      const index = isError ? at : isTrue ? at * da : at * db;
      numbers[at] = chosen.numbers[index]!;
      kinds[at] = chosen.kindAt(index);
    }
  });
  return TypedElements.ofKinds(numbers, kinds, texts);
}

function findTexts(operand: Scalar | Matrix): TextIds | null {
  return operand instanceof Matrix ? (operand.elements?.texts ?? null) : null;
}

/** The elements of a branch, or one element for all; null if they cannot be combined with typed elements. */
function toChoice(operand: Scalar | Matrix, { rows, columns }: Matrix, texts: TextIds): TypedElements | null {
  if (!(operand instanceof Matrix)) return toTypedElement(operand, texts);
  if (operand.length === 1) return toTypedElement(operand.get(0, 0), texts);
  const { elements } = operand;
  if (elements === null || operand.rows !== rows || operand.columns !== columns) return null;
  return elements.texts === null || elements.texts === texts ? elements : null;
}

/** Returns the elements with the given indexes. */
export function pickTypedElements(
  context: ArrayMeter,
  elements: TypedElements,
  indexes: readonly number[],
): TypedElements {
  const numbers = context.takeNumbers(indexes.length);
  for (let i = 0; i < indexes.length; i++) numbers[i] = elements.numbers[indexes[i]!]!;
  const { kinds } = elements;
  if (typeof kinds === 'number') return new TypedElements(numbers, kinds, elements.present, elements.texts);
  const picked = context.takeKinds(indexes.length);
  for (let i = 0; i < indexes.length; i++) picked[i] = kinds[indexes[i]!]!;
  return TypedElements.ofKinds(numbers, picked, elements.texts);
}

/** Calls `visit` with each number. `countsAll`: also with 1 or 0 for booleans, and 0 for texts. */
export function visitNumbers(
  context: WorkMeter,
  { numbers, kinds }: TypedElements,
  countsAll: boolean,
  visit: (value: number) => void,
): void {
  runInSteps(context, numbers.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const kind = typeof kinds === 'number' ? kinds : kinds[at];
      if (kind === NUMBER) visit(numbers[at]!);
      else if (countsAll && (kind === BOOLEAN || kind === TEXT)) visit(kind === BOOLEAN ? numbers[at]! : 0);
    }
  });
}

/** The number of each element; 0 for elements that are no numbers. */
export function toTerms(context: ArrayMeter, { numbers, kinds }: TypedElements): Float64Array {
  if (kinds === NUMBER) return numbers;
  const terms = context.takeNumbers(numbers.length);
  if (typeof kinds === 'number') return terms.fill(0);
  for (let at = 0; at < terms.length; at++) terms[at] = kinds[at] === NUMBER ? numbers[at]! : 0;
  return terms;
}
