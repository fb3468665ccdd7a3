/**
 * The reason why a file cannot be imported or exported. The message tells users the reason and what to do, in one or
 * two sentences.
 */
export interface FileRefusal {
  readonly kind: 'refusal';
  /** The cause: the file itself, or the specified columns or encoding. */
  readonly about: 'file' | 'columns' | 'encoding';
  readonly message: string;
}

export function refuseFile(message: string, about: FileRefusal['about'] = 'file'): FileRefusal {
  return { kind: 'refusal', about, message };
}

export function isRefusal(value: unknown): value is FileRefusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';
}
