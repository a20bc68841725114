/** Compiles the schemas of a route at the first request that needs them, because compiling all would slow the start. */
import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler } from 'fastify';
import { isBase64url } from '#platform/text/base64url.ts';
import { isNumberText } from './shapes.ts';

type Validate = ReturnType<FastifySchemaCompiler<object>>;
type Serialize = (data: unknown) => string;
interface SchemaOwner {
  readonly schema: object;
}
type Compiler<Compiled> = (owner: SchemaOwner) => Compiled;
/** Fastify passes both arguments to a library and reads neither. */
type CompilerBuilder<Compiled> = (shared: never, options: never) => Compiler<Compiled>;

/** Ajv requires a mutable list. */
const digitsKeyword = [
  { keyword: 'digits', type: 'string' as const, schemaType: 'object' as const, validate: isNumberText },
];

/** Checking schemas against their meta-schema would cost the first request 100 ms; a test does it. */
export const ajvOptions = {
  removeAdditional: false,
  coerceTypes: false,
  useDefaults: false,
  // An error then includes the broken schema, whose description says more than a pattern.
  verbose: true,
  validateSchema: false,
  formats: { base64url: isBase64url },
  keywords: digitsKeyword,
  // Optimizing the code takes a third longer, while the first request waits for it; V8 optimizes it anyway.
  code: { optimize: false },
} as const;

/** For Fastify’s option of the same name. */
export const schemaController = {
  compilersFactory: {
    buildValidator: shareCompiler(buildValidatorCompiler),
    buildSerializer: shareCompiler(
      postponeCompiling(SerializerSelector() as unknown as CompilerBuilder<Serialize>, postponeSerializer),
    ),
  },
};

/** All apps of a process share one compiler: they have the same options, and no schema refers to another. */
function shareCompiler<Compiled>(
  build: (shared: never, options: never) => Compiler<Compiled>,
): CompilerBuilder<Compiled> {
  let compile: Compiler<Compiled> | undefined;
  return (shared, options) => (compile ??= build(shared, options));
}

/** Beyond this only the first fault of a body is reported: no program makes this many mistakes by accident. */
const MAX_EXPLAINED_VALUES = 500;

/** Nothing is converted: every value in a URL is text, and a number is a string of digits (`describeDigits`). */
export function buildValidatorCompiler(
  shared: never,
  options: { readonly customOptions: object },
): Compiler<Validate> {
  const build = postponeCompiling(AjvCompiler() as CompilerBuilder<Validate>, postponeValidator);
  const buildWith = (changes: object) =>
    build(shared, { ...options, customOptions: { ...options.customOptions, ...changes } } as never);
  const [compile, compileForAll] = [buildWith({ allErrors: false }), buildWith({ allErrors: true })];
  return (owner) => explainFewValues(compile(owner), compileForAll(owner));
}

/** Stops at the first fault, and lists all only for a small body, so that a large faulty one stays cheap. */
function explainFewValues(validate: Validate, listFaults: Validate): Validate {
  const explain: Validate = (data) => {
    explain.errors = null;
    if (validate(data)) return true;
    const isListed = hasFewValues(data) && !listFaults(data);
    explain.errors = (isListed ? listFaults : validate).errors ?? null;
    return false;
  };
  return explain;
}

function hasFewValues(data: unknown): boolean {
  const waiting = [data];
  for (let seen = 0; seen < waiting.length; seen += 1) {
    const value = waiting[seen];
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Object.values(value);
    if (waiting.length + inner.length > MAX_EXPLAINED_VALUES) return false;
    waiting.push(...inner);
  }
  return true;
}

/** The compiler itself is made at first use too, and a schema that several routes share is compiled once. */
function postponeCompiling<Compiled>(
  buildCompiler: CompilerBuilder<Compiled>,
  postpone: (compile: () => Compiled) => Compiled,
): CompilerBuilder<Compiled> {
  return (shared, options) => {
    let compile: Compiler<Compiled> | undefined;
    const postponed = new WeakMap<object, Compiled>();
    return (owner) => {
      const known = postponed.get(owner.schema);
      if (known) return known;
      const made = postpone(() => {
        compile ??= buildCompiler(shared, options);
        return compile(owner);
      });
      postponed.set(owner.schema, made);
      return made;
    };
  };
}

/** Fastify reads the errors from the function that it has called. */
function postponeValidator(compile: () => Validate): Validate {
  let compiled: Validate | undefined;
  const validate: Validate = (data) => {
    compiled ??= compile();
    const result = compiled(data);
    validate.errors = compiled.errors ?? null;
    return result;
  };
  return validate;
}

function postponeSerializer(compile: () => Serialize): Serialize {
  let serialize: Serialize | undefined;
  return (data) => {
    serialize ??= compile();
    return serialize(data);
  };
}
