/** Formats the call of an operation with curl, in JavaScript and in Python. */
import {
  buildSchemaExample,
  type OpenApiOperation,
  type OpenApiParameter,
} from '#agents/documents/openapi-document.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';

export interface CodeExample {
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

type Call = ReturnType<typeof readCall>;

export function formatExamples(operation: OpenApiOperation, method: string, url: string): CodeExample[] {
  const call = readCall(operation, method, url);
  return [
    { title: 'curl', language: 'sh', text: formatCurl(call) },
    { title: 'JavaScript', language: 'js', text: formatJavaScript(call) },
    { title: 'Python', language: 'python', text: formatPython(call) },
  ];
}

/** What the examples express in all three languages. */
function readCall(operation: OpenApiOperation, method: string, url: string) {
  const { security = [], parameters = [], requestBody, responses } = operation;
  const [bodyType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isPublic = security.length === 0 || security.some((one) => Object.keys(one).length === 0);
  const { content = {}, headers = {} } = responses['200'] ?? responses['201'] ?? responses['202'] ?? {};
  const answer: 'json' | 'bytes' | 'nothing' =
    OCTET_STREAM in content ? 'bytes' : '204' in responses ? 'nothing' : 'json';
  return {
    method: method.toUpperCase(),
    url: fillPathParameters(url, parameters),
    // Anything created without a token does not belong to the caller.
    needsToken: !isPublic || (security.length > 0 && method !== 'get'),
    needsKey: parameters.some(({ name }) => name === 'idempotency-key'),
    bodyType,
    isUpload: bodyType === OCTET_STREAM,
    // Undefined for a body of bytes.
    body: media?.example,
    // Names what was created.
    hasLocation: 'Location' in headers,
    answer,
  };
}

function fillPathParameters(url: string, parameters: readonly OpenApiParameter[]): string {
  return url.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return String(parameter?.example ?? buildSchemaExample(parameter?.schema ?? {}));
  });
}

/** Uses only tools that even the smallest container has. */
const RANDOM_KEY_HEADER = '"Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d \' \\n\')"';

/** Headers with a shell variable are in double quotes, so that the shell expands it. */
function formatCurl(call: Call): string {
  const { method, url, needsToken, needsKey, bodyType, isUpload, body, hasLocation, answer } = call;
  const headers = [
    ...(needsToken ? ['"Authorization: Bearer $ACCESS_TOKEN"'] : []),
    ...(bodyType ? [quoteForShell(`Content-Type: ${bodyType}`)] : []),
    ...(needsKey ? [RANDOM_KEY_HEADER] : []),
  ];
  return [
    [
      'curl',
      ...(hasLocation ? ['-i'] : []),
      ...(method === 'GET' ? [] : ['-X', method]),
      quoteForShell(url),
    ].join(' '),
    ...headers.map((header) => `-H ${header}`),
    ...(body === undefined ? [] : [`-d ${quoteForShell(JSON.stringify(body))}`]),
    ...(isUpload ? ['--data-binary @piece'] : []),
    // Binary data should not be printed to a terminal.
    ...(answer === 'bytes' ? ['-o file'] : []),
  ].join(' \\\n  ');
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function formatJavaScript(call: Call): string {
  const { method, url, needsToken, needsKey, bodyType, isUpload, body, hasLocation, answer } = call;
  const headers = [
    ...(needsToken ? [`Authorization: \`Bearer \${process.env.ACCESS_TOKEN}\``] : []),
    ...(bodyType ? [`'Content-Type': '${bodyType}'`] : []),
    ...(needsKey ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers.map((header) => `    ${header},`), '  },'] : []),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
    ...(isUpload ? ["  body: await readFile('piece'),"] : []),
  ];
  const files = [isUpload ? 'readFile' : [], answer === 'bytes' ? 'writeFile' : []].flat();
  return [
    ...files.map((name) => `import { ${name} } from 'node:fs/promises';\n`),
    options.length === 0
      ? `const response = await fetch('${url}');`
      : [`const response = await fetch('${url}', {`, ...options, '});'].join('\n'),
    'if (!response.ok) throw new Error(await response.text());',
    ...(hasLocation ? ["console.log(response.headers.get('location'));"] : []),
    ...{
      json: ['console.log(await response.json());'],
      bytes: ["await writeFile('file', Buffer.from(await response.arrayBuffer()));"],
      nothing: [],
    }[answer],
  ].join('\n');
}

/** Uses only Python's standard library. */
function formatPython(call: Call): string {
  const { method, url, needsToken, needsKey, bodyType, isUpload, body, hasLocation, answer } = call;
  const modules = [
    ...(body !== undefined || answer === 'json' ? ['json'] : []),
    ...(needsToken ? ['os'] : []),
    ...(needsKey ? ['uuid'] : []),
  ];
  const headers = [
    ...(needsToken ? ['"Authorization": f"Bearer {os.environ[\'ACCESS_TOKEN\']}"'] : []),
    ...(bodyType ? [`"Content-Type": "${bodyType}"`] : []),
    ...(needsKey ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
  const options = [
    ...(headers.length > 0
      ? ['    headers={', ...headers.map((header) => `        ${header},`), '    },']
      : []),
    ...(body === undefined ? [] : [`    data=json.dumps(${formatPythonValue(body, '    ')}).encode(),`]),
    ...(isUpload ? ['    data=open("piece", "rb").read(),'] : []),
  ];
  return [
    ...modules.map((name) => `import ${name}`),
    'from urllib.request import Request, urlopen\n',
    ['request = Request(', `    "${url}",`, `    method="${method}",`, ...options, ')'].join('\n'),
    'with urlopen(request) as response:',
    ...(hasLocation ? ['    print(response.headers["Location"])'] : []),
    {
      json: '    print(json.load(response))',
      bytes: '    open("file", "wb").write(response.read())',
      nothing: '    print(response.status)',
    }[answer],
  ].join('\n');
}

/** JSON strings are valid in Python, too. */
function formatPythonValue(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Array.isArray(value)
    ? value.map((one) => formatPythonValue(one, inner))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${formatPythonValue(one, inner)}`);
  return [open, ...entries.map((entry) => `${inner}${entry},`), indent + close].join('\n');
}
