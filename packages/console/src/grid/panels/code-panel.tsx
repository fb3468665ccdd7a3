import { quoteSheetName } from '@cellwire/engine';
import { useState } from 'react';
import { Code } from '../../components/secret.tsx';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { useGridState } from '../controller/use-controller.ts';
import { formatSelection } from '../selection/selection.ts';

const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;
type CodeLanguage = (typeof LANGUAGES)[number];

/** Code that reads and writes the selection. */
export function CodePanel({ controller }: { readonly controller: GridController }) {
  const { selection, sheet } = useGridState(controller);
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const range = `${quoteSheetName(sheet)}!${formatSelection(selection)}`;
  const target = { url: location.origin, document: controller.session.id, range };
  return (
    <>
      <p className="hint">{t.code.hint}</p>
      <div className="tabs" role="tablist">
        {LANGUAGES.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === language}
            onClick={() => setLanguage(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <Code label={t.code.read} text={READ_CODE[language](target)} />
      <Code label={t.code.write} text={WRITE_CODE[language](target)} />
    </>
  );
}

/** What code reads and writes. */
interface CodeTarget {
  /** The service's address. */
  readonly url: string;
  readonly document: string;
  readonly range: string;
}

type CodeTemplates = Readonly<Record<CodeLanguage, (target: CodeTarget) => string>>;

function formatCurlAddress({ url, document, range }: CodeTarget): string {
  return `${url}/api/v1/documents/${document}/values/${encodeURIComponent(range)}`.replaceAll("'", '%27');
}

// A JSON text is a literal of both languages.
const formatTypescriptSetup = ({ url, document }: CodeTarget): readonly string[] => [
  "import { Cellwire } from '@cellwire/client';",
  '',
  '// The token stands in CELLWIRE_TOKEN.',
  `const cw = new Cellwire({ url: ${JSON.stringify(url)} });`,
  `const book = cw.document(${JSON.stringify(document)});`,
];
const formatPythonSetup = ({ url, document }: CodeTarget): readonly string[] => [
  'import cellwire',
  '',
  '# The token stands in CELLWIRE_TOKEN.',
  `cw = cellwire.Client(${JSON.stringify(url)})`,
  `book = cw.document(${JSON.stringify(document)})`,
];

const READ_CODE: CodeTemplates = {
  curl: (target) => `curl -s '${formatCurlAddress(target)}' \\\n  -H "Authorization: Bearer $CELLWIRE_TOKEN"`,
  TypeScript: (target) =>
    [...formatTypescriptSetup(target), `console.log(await book.read(${JSON.stringify(target.range)}));`].join('\n'),
  Python: (target) => [...formatPythonSetup(target), `print(book.read(${JSON.stringify(target.range)}))`].join('\n'),
};

const WRITE_CODE: CodeTemplates = {
  curl: (target) =>
    `curl -s -X PUT '${formatCurlAddress(target)}' \\\n  -H "Authorization: Bearer $CELLWIRE_TOKEN" -H 'Content-Type: application/json' \\\n  -d '{"values": [["text", 1234.5, "=1+1"]]}'`,
  TypeScript: (target) =>
    [
      ...formatTypescriptSetup(target),
      `await book.write(${JSON.stringify(target.range)}, [['text', 1234.5, '=1+1']]);`,
    ].join('\n'),
  Python: (target) =>
    [...formatPythonSetup(target), `book.write(${JSON.stringify(target.range)}, [["text", 1234.5, "=1+1"]])`].join(
      '\n',
    ),
};
