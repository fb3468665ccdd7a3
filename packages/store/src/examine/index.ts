export { examinePostgres } from './postgres.ts';
export { type Examined, examineSqlite } from './sqlite.ts';
