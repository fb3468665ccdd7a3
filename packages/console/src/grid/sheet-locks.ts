import { useEffect, useState } from 'react';
import { call, OWN } from '../data/http.ts';
import type { Desk } from './desk.ts';
import { useBook } from './grid-host.tsx';

interface Protections {
  readonly protections: readonly { readonly sheet: string }[];
}

/** Names of the protected sheets, looked up again when the sheets or the layout of the shown one have changed. */
export function useSheetLocks(desk: Desk): ReadonlySet<string> {
  const { sheets } = useBook(desk);
  const { layout } = desk.sheet;
  const [locks, setLocks] = useState<ReadonlySet<string>>(new Set());
  const { id } = desk.book;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them is a sign that the protection may be another
  useEffect(() => {
    let isOver = false;
    void call<Protections>('GET', `${OWN}/documents/${id}/protections`).then((answer) => {
      if (answer.ok && !isOver) setLocks(new Set(answer.value.protections.map(({ sheet }) => sheet)));
    });
    return () => {
      isOver = true;
    };
  }, [id, sheets, layout]);
  return locks;
}
