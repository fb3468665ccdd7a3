export { examinePostgres } from './postgres.ts';
export { examineSqlite, type SqliteExamination } from './sqlite.ts';
