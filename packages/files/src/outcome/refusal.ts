/** A file that cannot be imported or exported: why, and what to do about it. For people; one or two sentences. */
export interface FileRefusal {
  readonly kind: 'refusal';
  /** What is wrong: the file itself, or what was said of its columns or its encoding. */
  readonly about: 'file' | 'columns' | 'encoding';
  readonly message: string;
}

export function refuse(message: string, about: FileRefusal['about'] = 'file'): FileRefusal {
  return { kind: 'refusal', about, message };
}

export function isRefusal(value: unknown): value is FileRefusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';
}
