import { getAudit } from './get-audit.ts';
import { getUsage } from './get-usage.ts';
import { getUserinfo } from './get-userinfo.ts';

/** Operations in the order of the API's reference. */
export const ACCOUNT_OPERATIONS = [getAudit, getUserinfo, getUsage];
