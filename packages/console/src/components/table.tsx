import type { ReactNode } from 'react';
import { t } from '../text/index.ts';
import { ScrollContainer } from './scroll-container.tsx';

interface TableColumn {
  readonly text: string;
  readonly className?: string;
}

export type TableColumns = readonly (string | TableColumn)[];

interface TableProps {
  readonly columns: TableColumns;
  /** True if the table has a last column without a heading for the row's actions. */
  readonly hasActions?: boolean;
  /** True if narrow screens show each row as a block, with each cell after its `data-label`. */
  readonly isStacked?: boolean;
  readonly children: ReactNode;
}

/** A table with headings. It scrolls if it is wider than the screen. */
export function Table({ columns, hasActions = false, isStacked = false, children }: TableProps) {
  return (
    <ScrollContainer>
      <table className={isStacked ? 'table stacked' : 'table'}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { text, className }: TableColumn = typeof column === 'string' ? { text: column } : column;
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
    </ScrollContainer>
  );
}
