import type { ReactNode } from 'react';
import { t } from '../text/index.ts';
import { ScrollRoom } from './scroll-room.tsx';

interface Column {
  readonly text: string;
  readonly className?: string;
}

export type TableColumns = readonly (string | Column)[];

interface TableProps {
  readonly columns: TableColumns;
  /** Whether a column without a heading of its own follows, for what can be done with a row. */
  readonly hasActions?: boolean;
  /** Whether rows stand by themselves on a narrow screen, each cell beside its `data-label`. */
  readonly isStacked?: boolean;
  /** The rows. */
  readonly children: ReactNode;
}

/** A list of things with headings; where it is wider than the screen it scrolls in itself. */
export function Table({ columns, hasActions = false, isStacked = false, children }: TableProps) {
  return (
    <ScrollRoom>
      <table className={isStacked ? 'table stacked' : 'table'}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { text, className }: Column = typeof column === 'string' ? { text: column } : column;
              return (
                <th key={text} scope="col" className={className}>
                  {text}
                </th>
              );
            })}
            {hasActions ? (
              <th scope="col">
                <span className="visually-hidden">{t.more}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollRoom>
  );
}
