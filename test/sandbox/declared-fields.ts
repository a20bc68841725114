/** Compares an object with the fields that the SDK's declarations give it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** Every required field is there, null or not, and no field is unknown. */
export function assertDeclaredFields(object: object, file: string, name: string): void {
  const { required, optional } = readDeclaredFields(file, name);
  const present = Object.keys(object);
  assert.deepEqual(
    required.filter((field) => !present.includes(field)),
    [],
    `${name} lacks fields`,
  );
  assert.deepEqual(
    present.filter((field) => ![...required, ...optional].includes(field)),
    [],
    `${name} has unknown fields`,
  );
}

/** The first interface of that name in the SDK's declarations. */
function readDeclaredFields(file: string, name: string): { required: string[]; optional: string[] } {
  const path = `node_modules/stripe/esm/resources/${file}.d.ts`;
  const source = readFileSync(path, 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
  const body = new RegExp(`interface ${name} \\{\\n([\\s\\S]*?)\\n *\\}\\n`).exec(source)?.[1];
  assert.ok(body, `${name} is declared`);
  const indent = /^( *)\w/m.exec(body)?.[1] ?? '';
  const fields = Array.from(body.matchAll(new RegExp(`^${indent}(\\w+)(\\??):`, 'gm')));
  const listFieldNames = (mark: string) =>
    fields.filter((field) => field[2] === mark).map((field) => field[1]!);
  return { required: listFieldNames(''), optional: listFieldNames('?') };
}
