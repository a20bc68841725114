/** Formats a curl command that calls an operation. */
import type { OpenApiOperation, OpenApiParameter } from '#agents/documents/openapi-document.ts';
import { buildSchemaExample } from '#agents/documents/openapi-example.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';

interface CallTarget {
  readonly method: string;
  readonly path: string;
  readonly server: string;
}

/** Random by what every system has, also the smallest container. */
const RANDOM_KEY_HEADER = '"Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d \' \\n\')"';

export function formatCurlExample(operation: OpenApiOperation, { method, path, server }: CallTarget): string {
  const url = server + fillPathParameters(path, operation.parameters ?? []);
  const lines = [
    ['curl', ...(method === 'get' ? [] : ['-X', method.toUpperCase()]), quoteForShell(url)].join(' '),
    ...listCurlHeaders(operation).map((header) => `-H ${header}`),
    ...listBodyArguments(operation),
    ...(isDownload(operation) ? ['-o file'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** A terminal must not show bytes. */
function isDownload({ responses }: OpenApiOperation): boolean {
  return OCTET_STREAM in (responses['200']?.content ?? {});
}

function fillPathParameters(path: string, parameters: readonly OpenApiParameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const { schema = {}, ...rest } =
      parameters.find((parameter) => parameter.in === 'path' && parameter.name === name) ?? {};
    return String((rest as { example?: unknown }).example ?? buildSchemaExample(schema));
  });
}

/** Headers with a shell variable are in double quotes, so that the shell expands it. */
function listCurlHeaders({ security = [], requestBody, parameters = [] }: OpenApiOperation): string[] {
  const [type] = Object.keys(requestBody?.content ?? {});
  const isPublic =
    security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0);
  return [
    ...(isPublic ? [] : ['"Authorization: Bearer $ACCESS_TOKEN"']),
    ...(type ? [quoteForShell(`Content-Type: ${type}`)] : []),
    ...(parameters.some(({ name }) => name === 'idempotency-key') ? [RANDOM_KEY_HEADER] : []),
  ];
}

function listBodyArguments({ requestBody }: OpenApiOperation): string[] {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return [];
  const [type, media] = first;
  if (type !== 'application/json') return ['--data-binary @piece'];
  return [`-d ${quoteForShell(JSON.stringify(media.example))}`];
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
