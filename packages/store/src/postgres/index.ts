export { replication } from './replication.ts';
