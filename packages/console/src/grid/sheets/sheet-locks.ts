import { useEffect, useState } from 'react';
import { CONSOLE_API, callApi } from '../../data/http.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useSessionState } from '../controller/use-controller.ts';

interface Protections {
  readonly protections: readonly { readonly sheet: string }[];
}

/** Names of the protected sheets. They are reloaded with the list of sheets. */
export function useSheetLocks(controller: GridController): ReadonlySet<string> {
  const { sheets } = useSessionState(controller);
  const [locks, setLocks] = useState<ReadonlySet<string>>(new Set());
  const { id } = controller.session;
  useEffect(() => {
    let isOver = false;
    void callApi<Protections>('GET', `${CONSOLE_API}/documents/${id}/protections`).then((answer) => {
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
