/** Made by the build, see scripts/build.ts. */
declare module 'virtual:functions/*' {
  const functions: readonly import('../data/function-row.ts').FunctionRow[];
  export default functions;
}

declare module 'virtual:local-names' {
  /** By language: a local name and the English one. */
  const names: Readonly<Record<string, readonly (readonly [local: string, english: string])[]>>;
  export default names;
}

declare module 'virtual:openapi' {
  const description: import('../data/openapi.ts').Description;
  export default description;
}

declare module '*.css';
