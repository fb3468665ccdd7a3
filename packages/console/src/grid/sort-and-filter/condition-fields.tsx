import { Field, Select } from '../../components/field.tsx';
import { readFormText } from '../../components/form-dialog.tsx';
import { t } from '../../text/index.ts';
import { CONDITION_OPERANDS, type ConditionKind, type FilterCondition } from './filter-conditions.ts';

const GROUPS = (
  [
    [t.filter.ofTexts, ['text']],
    [t.filter.ofNumbers, ['number', 'numbers']],
    [t.filter.ofDates, ['date', 'dates']],
    [t.filter.ofAny, ['nothing']],
  ] as const
).map(([label, needs]) => {
  const isOf = (kind: ConditionKind) => needs.some((need) => need === CONDITION_OPERANDS[kind]);
  return [label, (Object.keys(CONDITION_OPERANDS) as ConditionKind[]).filter(isOf)] as const;
});

interface ConditionChoiceProps {
  readonly label: string;
  /** Label of the choice without a condition. */
  readonly none: string;
  readonly name?: string;
  readonly kind: ConditionKind | '';
  readonly onChoose: (kind: ConditionKind | '') => void;
}

export function ConditionChoice({ label, none, name, kind, onChoose }: ConditionChoiceProps) {
  return (
    <Select
      label={label}
      name={name}
      value={kind}
      onChange={(event) => onChoose(event.currentTarget.value as ConditionKind | '')}
    >
      <option value="">{none}</option>
      {GROUPS.map(([group, kinds]) => (
        <optgroup key={group} label={group}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {t.filter.conditions[one]}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}

interface OperandsProps {
  /** Name prefix of the form fields. */
  readonly name: string;
  readonly kind: ConditionKind;
  /** The previous condition. */
  readonly condition: FilterCondition | undefined;
  readonly autoFocus?: boolean;
}

/** Fields for the operands of a condition. */
export function OperandFields({ name, kind, condition, autoFocus = false }: OperandsProps) {
  const needs = CONDITION_OPERANDS[kind];
  if (needs === 'nothing') return null;
  const [first, second] =
    condition !== undefined && CONDITION_OPERANDS[condition.kind] === needs ? condition.operands : ['', ''];
  const isDate = needs === 'date' || needs === 'dates';
  const common = { type: isDate ? 'date' : 'text', autoComplete: 'off' } as const;
  const hasTwo = needs === 'numbers' || needs === 'dates';
  const label = hasTwo ? t.filter.from : isDate ? t.filter.day : needs === 'number' ? t.filter.number : t.filter.text;
  return (
    <>
      <Field {...common} label={label} name={`${name}.from`} defaultValue={first} autoFocus={autoFocus} />
      {hasTwo ? <Field {...common} label={t.filter.to} name={`${name}.to`} defaultValue={second} /> : null}
    </>
  );
}

export function readOperands(form: FormData, name: string): FilterCondition['operands'] {
  return [readFormText(form, `${name}.from`), readFormText(form, `${name}.to`)];
}
