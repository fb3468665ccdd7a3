import { DamagedRowError } from '@cellwire/store';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { logCondition } from '../http/monitoring/operator-conditions.ts';
import type { SecurityEvents } from '../service/accounts/security-events.ts';

const SIGN_IN_REASONS = ['password', 'unknown', 'locked', 'disabled', 'damaged', 'limit'] as const;
const TOKEN_REASONS = ['malformed', 'unknown', 'revoked', 'disabled', 'damaged', 'expired'] as const;

/**
 * Logs and counts failed sign-ins and refused tokens. Filters such as fail2ban parse these lines: keep their fields.
 */
export function createSecurityLog(logger: Logger, registry: Registry): SecurityEvents {
  const signIns = new Counter({
    name: 'cellwire_sign_in_failures_total',
    help: 'Sign-ins to the console that failed, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const tokens = new Counter({
    name: 'cellwire_refused_tokens_total',
    help: 'Requests whose token was refused, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Counters exist from the start, so that the first failure shows as an increase.
  for (const reason of SIGN_IN_REASONS) signIns.inc({ reason }, 0);
  for (const reason of TOKEN_REASONS) tokens.inc({ reason }, 0);
  return {
    onSignInFailed: ({ address, reason, user, requestId }) => {
      signIns.inc({ reason });
      logger.warn({ address, reason, ...(user === null ? {} : { user }), requestId }, 'sign-in failed');
    },
    onTokenRefused: ({ address, reason, user, tokenName, requestId }) => {
      tokens.inc({ reason });
      // The log hides members named `token`: they could be secrets.
      const owner = user === null ? {} : { user, tokenName };
      logger.warn({ address, reason, ...owner, requestId }, 'token refused');
    },
    onRowsDamaged: (damage) => {
      for (const one of damage) logCondition(logger, new DamagedRowError(one), {});
    },
  };
}
