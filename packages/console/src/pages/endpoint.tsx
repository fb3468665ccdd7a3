import { renderCode } from '../components/render-code.tsx';
import { ScrollContainer } from '../components/scroll-container.tsx';
import { type ApiSchema, describeType, type Endpoint } from '../data/openapi.ts';
import { getSignedInUser, useSession } from '../data/session.ts';
import { t } from '../text/index.ts';
import { EndpointForm, PREFIX } from './try-endpoint.tsx';

interface EndpointCardProps {
  readonly endpoint: Endpoint;
  readonly schemas: Readonly<Record<string, ApiSchema>>;
}

/** An operation with its parameters, body, answers and a form to try it. */
export function EndpointCard({ endpoint, schemas }: EndpointCardProps) {
  const { method, path, operation } = endpoint;
  const { summary, description, parameters = [], responses = {} } = operation;
  const sent = operation.requestBody?.content['application/json']?.schema;
  const name = sent?.$ref?.split('/').at(-1);
  const body = name === undefined ? sent : schemas[name];
  const session = useSession();
  return (
    <details className="card endpoint" id={endpoint.id}>
      <summary>
        <span className={`method ${method}`}>{method}</span>
        <code>{path.replace(PREFIX, '')}</code>
        <span className="muted only-wide">{renderCode(summary ?? '')}</span>
      </summary>
      <div className="stack endpoint-body">
        <p>{renderCode(description ?? summary ?? '')}</p>
        {parameters.length === 0 ? null : (
          <MemberTable
            title={t.docs.parameters}
            members={parameters.map((one) => ({
              name: one.name,
              isRequired: one.required === true,
              type: describeType(one.schema),
              text: one.description ?? one.schema?.description ?? '',
            }))}
          />
        )}
        {body?.properties === undefined ? null : (
          <MemberTable
            title={t.docs.body}
            members={Object.entries(body.properties).map(([member, schema]) => ({
              name: member,
              isRequired: body.required?.includes(member) === true,
              type: describeType(schema),
              text: schema.description ?? '',
            }))}
          />
        )}
        <div className="row">
          {Object.entries(responses).map(([status, { description: words }]) => (
            <span key={status} className={status.startsWith('2') ? 'badge good' : 'badge'} title={words}>
              {status}
            </span>
          ))}
        </div>
        {getSignedInUser(session) !== null ? <EndpointForm endpoint={endpoint} /> : null}
      </div>
    </details>
  );
}

interface MemberTableProps {
  readonly title: string;
  readonly members: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly type: string;
    readonly text: string;
  }[];
}

function MemberTable({ title, members }: MemberTableProps) {
  return (
    <div>
      <h3>{title}</h3>
      <ScrollContainer>
        <table className="table stacked">
          <tbody>
            {members.map(({ name, isRequired, type, text }) => (
              <tr key={name}>
                <td className="nowrap">
                  <code>{name}</code> {isRequired ? <span className="badge warn">{t.docs.required}</span> : null}
                </td>
                <td className="muted">
                  <code>{type}</code>
                </td>
                <td>{renderCode(text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollContainer>
    </div>
  );
}
