// The kinds of questions of the query benchmark. Each question is drawn at random, so hardly any is asked twice. `body`
// is the request to the service; `sql` is one or more statements that SQLite and DuckDB answer alike. A response also
// contains the number of all matching records, so the statements of pages count them too.
import { CITIES, CODES, CUSTOMERS, formatCustomerName, MAX_QUANTITY, MAX_SUM, STATUSES } from './orders.mjs';

const PAGE = 100;
const NUMBERS = ['Sum', 'Quantity'];
const SORTABLE = ['Sum', 'Quantity', 'Customer', 'Number'];

/** Creates a question for the first records that match a filter, and for the number of all matches. */
function createFilteredPageQuery(where, condition, values) {
  return {
    body: { where, limit: PAGE },
    sql: [
      [`select count(*) from t where ${condition}`, values],
      [`select * from t where ${condition} order by id limit ${PAGE}`, values],
    ],
  };
}

/** Creates a question for a page of sorted records. `keys`: pairs of a column and a direction. */
function createSortedPageQuery(keys, { where = undefined, condition = '', values = [], offset = 0 } = {}) {
  const order = keys.map(([column, isDescending]) => `${column}${isDescending ? ' desc' : ''}`).join(', ');
  const filter = condition && `where ${condition}`;
  return {
    body: {
      where,
      sort: keys.map(([column, isDescending]) => `${isDescending ? '-' : ''}${column}`),
      offset,
      limit: PAGE,
    },
    sql: [
      ...(condition ? [[`select count(*) from t ${filter}`, values]] : []),
      [`select * from t ${filter} order by ${order}, id limit ${PAGE} offset ${offset}`, values],
    ],
  };
}

/** Draws a range of numbers that contains about this share of the values. `most`: greatest value. */
function drawValueRange(orders, most, share) {
  const from = orders.next() * most * (1 - share);
  return [Math.round(from * 100) / 100, Math.round((from + most * share) * 100) / 100];
}

/** Draws an aggregate of a random column. Returns it in the form of the API and as SQL. */
function drawAggregateMeasures(orders) {
  const column = NUMBERS[orders.drawBelow(NUMBERS.length)];
  const [kind, sql] = [
    ['sum', 'sum'],
    ['average', 'avg'],
    ['max', 'max'],
    ['min', 'min'],
  ][orders.drawBelow(4)];
  return { measures: { figure: { [kind]: column }, n: { count: '*' } }, sql: `${sql}(${column}) figure, count(*) n` };
}

export const KINDS = [
  {
    id: 'key',
    name: 'one record by its key',
    ask: (orders, rows) => {
      const key = `A-${orders.drawBelow(rows)}`;
      return { body: { where: { Number: key } }, sql: [['select * from t where Number = ?', [key]]] };
    },
  },
  {
    id: 'range',
    name: 'filter by a range, 0.1 % of the records',
    goal: { sqlite: 2, duckdb: 1.5 },
    ask: (orders) => {
      const [from, to] = drawValueRange(orders, MAX_SUM, 0.001);
      return createFilteredPageQuery({ Sum: { gte: from, lt: to } }, 'Sum >= ? and Sum < ?', [from, to]);
    },
  },
  {
    id: 'range-text',
    name: 'filter by a range and a text, 1 %',
    goal: { sqlite: 2, duckdb: 1.5 },
    ask: (orders) => {
      const [from, to] = drawValueRange(orders, MAX_SUM, 0.05);
      const status = STATUSES[orders.drawBelow(STATUSES.length)];
      return createFilteredPageQuery(
        { Status: status, Sum: { gte: from, lt: to } },
        'Status = ? and Sum >= ? and Sum < ?',
        [status, from, to],
      );
    },
  },
  {
    id: 'range-wide',
    name: 'filter by two ranges, 25 %',
    goal: { sqlite: 2, duckdb: 1.5 },
    ask: (orders) => {
      const [from, to] = drawValueRange(orders, MAX_SUM, 0.5);
      const [low, high] = drawValueRange(orders, MAX_QUANTITY, 0.5);
      return createFilteredPageQuery(
        { Sum: { gte: from, lt: to }, Quantity: { gte: low, lt: high } },
        'Sum >= ? and Sum < ? and Quantity >= ? and Quantity < ?',
        [from, to, low, high],
      );
    },
  },
  {
    id: 'sort',
    name: '100 records, sorted by one column, in both directions, near the beginning',
    goal: { sqlite: 5, duckdb: 1 },
    ask: (orders) => {
      const column = SORTABLE[orders.drawBelow(SORTABLE.length)];
      return createSortedPageQuery([[column, orders.next() < 0.5]], { offset: orders.drawBelow(1_000) });
    },
  },
  {
    id: 'sort-edit',
    name: 'the same after an edit of a cell of the column',
    goal: { sqlite: 5, duckdb: 1 },
    ask: (orders, rows) => {
      const value = orders.drawBelow(MAX_SUM * 100) / 100;
      const row = orders.drawBelow(rows);
      const question = createSortedPageQuery([['Sum', orders.next() < 0.5]], { offset: orders.drawBelow(1_000) });
      return {
        ...question,
        before: { cell: `D${row + 2}`, value, sql: ['update t set Sum = ? where id = ?', [value, row]] },
      };
    },
  },
  {
    id: 'sort-two',
    name: '100 records, sorted by two columns',
    goal: { sqlite: 5, duckdb: 1 },
    ask: (orders) => {
      const [first, second] = orders.next() < 0.5 ? ['City', 'Sum'] : ['Status', 'Quantity'];
      const directions = [orders.next() < 0.5, orders.next() < 0.5];
      return createSortedPageQuery(
        [
          [first, directions[0]],
          [second, directions[1]],
        ],
        { offset: orders.drawBelow(1_000) },
      );
    },
  },
  {
    id: 'sort-filter',
    name: '100 records of a filter (5 %), sorted',
    goal: { sqlite: 5, duckdb: 1 },
    ask: (orders) => {
      const [from, to] = drawValueRange(orders, MAX_QUANTITY, 0.25);
      const status = STATUSES[orders.drawBelow(STATUSES.length)];
      return createSortedPageQuery([['Sum', orders.next() < 0.5]], {
        where: { Status: status, Quantity: { gte: from, lt: to } },
        condition: 'Status = ? and Quantity >= ? and Quantity < ?',
        values: [status, from, to],
      });
    },
  },
  {
    id: 'group',
    name: `group by ${CODES.toLocaleString('en-US')} values, the first 1,000 groups`,
    goal: { duckdb: 1.5 },
    ask: (orders) => {
      const { measures, sql } = drawAggregateMeasures(orders);
      const least = orders.drawBelow(MAX_QUANTITY / 2);
      return {
        body: { where: { Quantity: { gte: least } }, aggregate: { groupBy: ['Code'], measures }, sort: ['Code'] },
        sql: [[`select Code, ${sql} from t where Quantity >= ? group by Code order by Code limit 1000`, [least]]],
      };
    },
  },
  {
    id: 'group-two',
    name: `filter, and group by two columns (${(CITIES * STATUSES.length).toLocaleString('en-US')} groups)`,
    goal: { duckdb: 1.5 },
    ask: (orders) => {
      const { measures, sql } = drawAggregateMeasures(orders);
      const [from, to] = drawValueRange(orders, MAX_SUM, 0.5);
      return {
        body: { where: { Sum: { gte: from, lt: to } }, aggregate: { groupBy: ['City', 'Status'], measures } },
        sql: [[`select City, Status, ${sql} from t where Sum >= ? and Sum < ? group by City, Status`, [from, to]]],
      };
    },
  },
  {
    id: 'contains',
    name: `contains, in a column of ${CUSTOMERS.toLocaleString('en-US')} texts`,
    goal: { sqlite: 1.5, duckdb: 1.5 },
    ask: (orders) => createContainsQuery('Customer', drawNamePart(orders)),
  },
  {
    id: 'contains-distinct',
    name: 'contains, in a column of distinct texts',
    goal: { sqlite: 1.5, duckdb: 1.5 },
    ask: (orders) => createContainsQuery('Note', drawNamePart(orders)),
  },
];

/** Three to six letters that occur in some names. */
function drawNamePart(orders) {
  const name = formatCustomerName(orders.drawBelow(CUSTOMERS)).toLowerCase();
  const from = orders.drawBelow(3);
  return name.slice(from, from + 4 + orders.drawBelow(2));
}

/**
 * Creates a question for a page of records whose column contains a text in any letter case, as the service compares:
 * `like` in SQLite, `ilike` in DuckDB.
 */
function createContainsQuery(column, part) {
  const condition = `${column} LIKE ?`;
  return createFilteredPageQuery({ [column]: { contains: part } }, condition, [`%${part}%`]);
}
