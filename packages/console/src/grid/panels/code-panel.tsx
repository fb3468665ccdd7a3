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
  const address = `${location.origin}/api/v1/documents/${controller.session.id}/values/${encodeURIComponent(range)}`;
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
      <Code label={t.code.read} text={READ_CODE[language](address)} />
      <Code label={t.code.write} text={WRITE_CODE[language](address)} />
    </>
  );
}

type CodeTemplates = Readonly<Record<CodeLanguage, (address: string) => string>>;

const READ_CODE: CodeTemplates = {
  curl: (address) => `curl -s '${address.replaceAll("'", '%27')}' \\\n  -H "Authorization: Bearer $CELLWIRE_TOKEN"`,
  TypeScript: (address) =>
    [
      `const response = await fetch(${JSON.stringify(address)}, {`,
      "  headers: { Authorization: 'Bearer ' + process.env.CELLWIRE_TOKEN },",
      '});',
      'const { values } = await response.json();',
      'console.log(values.cells);',
    ].join('\n'),
  Python: (address) =>
    [
      'import os, requests',
      '',
      'answer = requests.get(',
      `    ${JSON.stringify(address)},`,
      '    headers={"Authorization": f"Bearer {os.environ[\'CELLWIRE_TOKEN\']}"},',
      ')',
      'answer.raise_for_status()',
      'print(answer.json()["values"]["cells"])',
    ].join('\n'),
};

const WRITE_CODE: CodeTemplates = {
  curl: (address) =>
    `curl -s -X PUT '${address.replaceAll("'", '%27')}' \\\n  -H "Authorization: Bearer $CELLWIRE_TOKEN" -H 'Content-Type: application/json' \\\n  -d '{"values": [["text", 1234.5, "=1+1"]]}'`,
  TypeScript: (address) =>
    [
      `await fetch(${JSON.stringify(address)}, {`,
      "  method: 'PUT',",
      '  headers: {',
      "    Authorization: 'Bearer ' + process.env.CELLWIRE_TOKEN,",
      "    'Content-Type': 'application/json',",
      "    'Idempotency-Key': crypto.randomUUID(),",
      '  },',
      "  body: JSON.stringify({ values: [['text', 1234.5, '=1+1']] }),",
      '});',
    ].join('\n'),
  Python: (address) =>
    [
      'import os, uuid, requests',
      '',
      'answer = requests.put(',
      `    ${JSON.stringify(address)},`,
      '    headers={',
      '        "Authorization": f"Bearer {os.environ[\'CELLWIRE_TOKEN\']}",',
      '        "Idempotency-Key": str(uuid.uuid4()),',
      '    },',
      '    json={"values": [["text", 1234.5, "=1+1"]]},',
      ')',
      'answer.raise_for_status()',
    ].join('\n'),
};
