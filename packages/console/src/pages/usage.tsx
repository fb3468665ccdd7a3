import { Page } from '../components/frame.tsx';
import { EmptyState, LoadedView } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { CONSOLE_API, callApi } from '../data/http.ts';
import { useLoad } from '../data/use-load.ts';
import { formatLocalNumber, formatTime, t } from '../text/index.ts';
import { useDocumentTitle } from './sign-in.tsx';

interface UsagePeriod {
  readonly at: string;
  readonly requests: number;
  readonly refused: number;
}

interface Usage {
  readonly usage: {
    readonly agentQuota: {
      readonly unlimited: boolean;
      readonly window: string;
      readonly limit: number | null;
      readonly remaining: number | null;
    };
    readonly requestsPerSecond: number | null;
    readonly periodSeconds: number;
    readonly periods: readonly UsagePeriod[];
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Usage of the plan by the workspace's programs. */
export default function UsagePage() {
  const loaded = useLoad('usage', () => callApi<Usage>('GET', `${CONSOLE_API}/usage`));
  useDocumentTitle(t.usage.title);
  return (
    <Page title={t.usage.title} text={t.usage.text}>
      <LoadedView loaded={loaded}>
        {({ usage: { agentQuota, requestsPerSecond, periodSeconds, periods } }) => {
          const sum = (counter: 'requests' | 'refused') => periods.reduce((all, period) => all + period[counter], 0);
          const { unlimited, remaining, limit, window } = agentQuota;
          const per = window === 'month' ? t.usage.perMonth : t.usage.perMinute;
          return (
            <div className="stack">
              <div className="figures">
                <UsageFigure
                  name={t.usage.rate}
                  value={requestsPerSecond === null ? t.usage.noLimit : formatLocalNumber(requestsPerSecond)}
                />
                <UsageFigure
                  name={t.usage.quota}
                  value={unlimited ? t.usage.noLimit : `${t.usage.quotaLeft(remaining ?? 0, limit ?? 0)} ${per}`}
                />
                <UsageFigure name={t.usage.requests} value={formatLocalNumber(sum('requests'))} />
                <UsageFigure name={t.usage.refused} value={formatLocalNumber(sum('refused'))} />
              </div>
              <div className="card padded stack">
                {periods.length === 0 ? (
                  <EmptyState icon="clock" title={t.usage.none} />
                ) : (
                  <UsageChart periods={periods} stepMs={periodSeconds * 1000} />
                )}
              </div>
            </div>
          );
        }}
      </LoadedView>
    </Page>
  );
}

function UsageFigure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="card padded figure">
      <span className="muted">{name}</span>
      <b>{value}</b>
    </div>
  );
}

/** Size of the chart in the units of its SVG coordinate system. */
const WIDTH = 960;
const HEIGHT = 180;

function UsageChart({ periods, stepMs }: { readonly periods: readonly UsagePeriod[]; readonly stepMs: number }) {
  const end = Math.max(Date.now(), Date.parse(periods.at(-1)?.at ?? '') + stepMs);
  const start = end - DAY_MS;
  const most = Math.max(1, ...periods.map(({ requests, refused }) => requests + refused));
  const toX = (time: number) => ((time - start) / DAY_MS) * WIDTH;
  const width = Math.max(1.5, (stepMs / DAY_MS) * WIDTH - 0.6);
  const computeBarHeight = (count: number) => (count / most) * (HEIGHT - 24);
  const hours = Array.from({ length: 5 }, (_, i) => start + (DAY_MS / 4) * i);
  return (
    <figure className="chart">
      <figcaption className="row between">
        <span>{t.usage.chart}</span>
        <span className="row">
          <span className="badge accent">{t.usage.legend.requests}</span>
          <span className="badge bad">{t.usage.legend.refused}</span>
        </span>
      </figcaption>
      <p className="hint most">{t.usage.most(formatLocalNumber(most))}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t.usage.chart} preserveAspectRatio="none">
        <line className="axis" x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        <line className="axis faint" x1={0} x2={WIDTH} y1={24} y2={24} />
        <line className="axis faint" x1={0} x2={WIDTH} y1={HEIGHT / 2 + 12} y2={HEIGHT / 2 + 12} />
        {periods.map(({ at, requests, refused }) => {
          const left = toX(Date.parse(at));
          const answered = computeBarHeight(requests);
          const turned = computeBarHeight(refused);
          return (
            <g key={at}>
              <title>{`${formatTime(at)}: ${formatLocalNumber(requests)} / ${formatLocalNumber(refused)}`}</title>
              <rect className="answered" x={left} y={HEIGHT - answered} width={width} height={answered} />
              <rect className="refused" x={left} y={HEIGHT - answered - turned} width={width} height={turned} />
            </g>
          );
        })}
      </svg>
      <div className="row between hint">
        {hours.map((at) => (
          <span key={at}>{formatTime(new Date(at).toISOString())}</span>
        ))}
      </div>
      <details>
        <summary>{t.usage.table}</summary>
        <Table
          columns={[
            t.usage.at,
            { text: t.usage.legend.requests, className: 'end' },
            { text: t.usage.legend.refused, className: 'end' },
          ]}
        >
          {periods.map(({ at, requests, refused }) => (
            <tr key={at}>
              <td>{formatTime(at)}</td>
              <td className="end">{formatLocalNumber(requests)}</td>
              <td className="end">{formatLocalNumber(refused)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}
