// The tools, resources and prompts that the conformance suite needs, on the product's transport and server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createMcpTransport } from '../../packages/server/src/mcp/endpoint.ts';
import { createMcpServer } from '../../packages/server/src/mcp/server.ts';

/** A PNG image of one red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };

const EMPTY_SCHEMA = { type: 'object', properties: {} };
/** Each notification must leave before the next. */
const PROGRESS_PAUSE_MS = 50;

/** Creates a content of type `text`. */
const createTextContent = (value) => ({ type: 'text', text: value });
/** Creates a content with an embedded resource. */
const createResourceContent = (uri, mimeType, value) => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});
/** Creates the answer of a prompt: one message of the user for each content. */
const createUserMessages = (...contents) => ({ messages: contents.map((content) => ({ role: 'user', content })) });

const TOOLS = {
  test_simple_text: { content: [createTextContent('This is a simple text response for testing.')] },
  test_image_content: { content: [IMAGE] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [createResourceContent('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      createTextContent('Multiple content types test:'),
      IMAGE,
      createResourceContent('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    isError: true,
    content: [createTextContent('This tool intentionally returns an error for testing')],
  },
};

const PROGRESS_TOOL = { name: 'test_tool_with_progress', description: 'A fixture.', inputSchema: EMPTY_SCHEMA };

/** Reports that the tool has begun, that half of its work is done, and that all of it is done. */
async function runWithProgress({ onProgress }) {
  for (const progress of [0, 50, 100]) {
    onProgress?.({ progress, total: 100, message: `Completed step ${progress} of 100` });
    await setTimeout(PROGRESS_PAUSE_MS);
  }
  return { content: [createTextContent('Tool execution completed with progress.')] };
}

const SCHEMA_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

const PROMPTS = {
  test_simple_prompt: () => createUserMessages(createTextContent('This is a simple prompt for testing.')),
  test_prompt_with_arguments: ({ arg1, arg2 }) =>
    createUserMessages(createTextContent(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  test_prompt_with_embedded_resource: ({ resourceUri }) =>
    createUserMessages(
      createResourceContent(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      createTextContent('Please process the embedded resource above.'),
    ),
  test_prompt_with_image: () => createUserMessages(IMAGE, createTextContent('Please analyze the image above.')),
};

const STATIC_TEXT = {
  uri: 'test://static-text',
  mimeType: 'text/plain',
  text: 'This is the content of the static text resource.',
};
const STATIC_BINARY = { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG };

/** Returns the contents of a resource of the fixtures. */
function readResource(uri) {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return uri === STATIC_BINARY.uri ? STATIC_BINARY : STATIC_TEXT;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
}

const HANDLERS = {
  'tools/list': () => ({
    tools: [
      ...Object.keys(TOOLS).map((name) => ({ name, description: 'A fixture.', inputSchema: EMPTY_SCHEMA })),
      SCHEMA_TOOL,
      PROGRESS_TOOL,
    ],
  }),
  'tools/call': ({ name }, context) =>
    name === PROGRESS_TOOL.name ? runWithProgress(context) : (TOOLS[name] ?? TOOLS.test_error_handling),
  'resources/list': () => ({ resources: [STATIC_TEXT, STATIC_BINARY].map(({ uri }) => ({ uri, name: uri })) }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }),
  'resources/read': ({ uri }) => ({ contents: [readResource(uri)] }),
  'prompts/list': () => ({ prompts: Object.keys(PROMPTS).map((name) => ({ name })) }),
  'prompts/get': ({ name, arguments: args = {} }) => PROMPTS[name](args),
  'completion/complete': () => ({ completion: { values: [], total: 0, hasMore: false } }),
};

/** Serves the fixtures on a local port. */
export async function startFixtures() {
  const backend = { handle: async (method, params, context) => HANDLERS[method](params, context) };
  const transport = createMcpTransport(
    () => createMcpServer(backend),
    (error) => console.error(error),
  );
  const server = createServer(async (request, response) => {
    const requestBody = await text(request);
    const body = requestBody === '' ? null : JSON.parse(requestBody);
    const { host } = request.headers;
    // The product's route refuses the other methods.
    if (request.method !== 'POST') return response.writeHead(405).end();
    const forwarded = new Request(`http://${host}/mcp`, {
      method: 'POST',
      headers: request.headers,
      body: requestBody,
    });
    const reply = await transport.fetch(forwarded, null, body);
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(await reply.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${server.address().port}/mcp`,
    async close() {
      server.closeAllConnections();
      server.close();
      await transport.close();
    },
  };
}
