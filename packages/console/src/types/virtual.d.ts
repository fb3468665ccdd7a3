/** Made by the build, see scripts/build.ts. */
declare module 'virtual:functions/*' {
  const functions: readonly import('../data/function-row.ts').FunctionRow[];
  export default functions;
}

declare module 'virtual:openapi' {
  const description: import('../data/openapi.ts').Description;
  export default description;
}

declare module '*.css';
