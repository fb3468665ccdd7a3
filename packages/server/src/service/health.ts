import { accessEpoch } from '../store/epoch.ts';
import type { ServiceContext } from './context.ts';

/** Whether the database answers. */
export async function isReady({ database }: Pick<ServiceContext, 'database'>): Promise<boolean> {
  try {
    return (await database.readOne(accessEpoch({}))) !== null;
  } catch {
    return false;
  }
}
