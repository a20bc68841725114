/** A command that calls an operation, ready to be copied. */
import type { OpenApiDocument, Operation, Parameter } from '#agents/documents/openapi-document.ts';
import { exampleOf } from '#agents/documents/openapi-example.ts';

interface Called {
  readonly method: string;
  readonly path: string;
  readonly server: string;
}

export function curlExample(operation: Operation, { method, path, server }: Called): string {
  const url = server + filled(path, operation.parameters ?? []);
  const parts = [
    ['curl', ...(method === 'get' ? [] : ['-X', method.toUpperCase()]), quoted(url)].join(' '),
    ...headersOf(operation).map((header) => `-H ${header}`),
    ...bodyOf(operation),
  ];
  return parts.join(' \\\n  ');
}

/** Where an operation is: under the API, or where its path says. */
export function serverOf(document: OpenApiDocument, path: string): string {
  const [own] = (document.paths[path]?.servers ?? document.servers) as OpenApiDocument['servers'];
  return own?.url ?? '';
}

function filled(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const { schema = {}, ...rest } =
      parameters.find((parameter) => parameter.in === 'path' && parameter.name === name) ?? {};
    return String((rest as { example?: unknown }).example ?? exampleOf(schema));
  });
}

/** In double quotes where the shell should put a variable in. */
function headersOf({ security = [], requestBody, parameters = [] }: Operation): string[] {
  const [type] = Object.keys(requestBody?.content ?? {});
  const isPublic = security.length === 0 || security.some((each) => Object.keys(each).length === 0);
  const token = security.some((each) => 'registration' in each) ? '$REGISTRATION_TOKEN' : '$ACCESS_TOKEN';
  return [
    ...(isPublic ? [] : [`"Authorization: Bearer ${token}"`]),
    ...(type ? [quoted(`Content-Type: ${type}`)] : []),
    ...(parameters.some(({ name }) => name === 'idempotency-key') ? ['"Idempotency-Key: $(uuidgen)"'] : []),
  ];
}

function bodyOf({ requestBody }: Operation): string[] {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return [];
  const [type, media] = first;
  if (type !== 'application/json') return ['--data-binary @piece'];
  return [`-d ${quoted(JSON.stringify(media.example))}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
