// Loads a CSV file into a DuckDB database, or writes its table: node duckdb.mjs import|export FILE DATABASE
// Prints its processor time in milliseconds.
import duckdb from '@duckdb/node-api';

const [action, csv, database] = process.argv.slice(2);
const instance = await duckdb.DuckDBInstance.create(database);
const connection = await instance.connect();
const file = `'${csv.replaceAll("'", "''")}'`;
await connection.run(
  action === 'import' ? `create table t as select * from read_csv(${file})` : `copy t to ${file} (header false)`,
);
connection.closeSync();
instance.closeSync();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ cpuMs: (user + system) / 1_000 }));
