import type { DamageList } from '@cellwire/store/transfer';
import { formatRowName } from '../service/operator/row-names.ts';
import { createFailedCheck, createPassedCheck, type DoctorCheck } from './doctor-check.ts';

/** Lists all damaged documents. The service refuses them until they are restored. */
export function checkDocuments({ documents: damage }: DamageList): DoctorCheck {
  const name = 'documents';
  if (damage.length === 0) return createPassedCheck(name, 'no stored data is damaged');
  const which = damage.map(({ document, problem }) => `${document} (${problem})`).join('; ');
  return {
    ...createFailedCheck(name, `${which}: bring them back from a backup, see docs/damage.md; all others are served`),
    documents: damage.map(({ document }) => document),
  };
}

/** Lists all damaged rows of accounts, subscriptions and proposals. The service refuses them. */
export function checkRows({ rows }: DamageList): DoctorCheck {
  const name = 'accounts';
  if (rows.length === 0) return createPassedCheck(name, 'no account, subscription or proposal is damaged');
  const names = rows.map(formatRowName);
  const accept = names.map((one) => `--accept ${one}`).join(' ');
  return {
    ...createFailedCheck(
      name,
      `${rows.map(({ problem }) => problem).join('. ')}. All others are served. ` +
        `After you have checked or corrected the values: cellwire doctor ${accept}, see docs/damage.md`,
    ),
    rows: names,
  };
}
