type NumberArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

/** Copies an array of numbers into a longer one of the same type. The new elements are 0. */
export function growArray<A extends NumberArray>(array: A, length: number): A {
  // The type of `constructor` is only `Function`.
  const grown = new (array.constructor as new (length: number) => A)(length);
  grown.set(array);
  return grown;
}
