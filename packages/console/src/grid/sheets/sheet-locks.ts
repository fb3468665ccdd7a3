import { useEffect, useState } from 'react';
import { call, OWN } from '../../data/http.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { useBook } from '../controller/use-controller.ts';

interface Protections {
  readonly protections: readonly { readonly sheet: string }[];
}

/** Names of the protected sheets, looked up again whenever the list of sheets was. */
export function useSheetLocks(desk: Desk): ReadonlySet<string> {
  const { sheets } = useBook(desk);
  const [locks, setLocks] = useState<ReadonlySet<string>>(new Set());
  const { id } = desk.book;
  useEffect(() => {
    let isOver = false;
    void call<Protections>('GET', `${OWN}/documents/${id}/protections`).then((answer) => {
      if (!answer.ok || isOver) return;
      const locked = new Set(answer.value.protections.map(({ sheet }) => sheet));
      setLocks(new Set(sheets.map(({ name }) => name).filter((name) => locked.has(name))));
    });
    return () => {
      isOver = true;
    };
  }, [id, sheets]);
  return locks;
}
