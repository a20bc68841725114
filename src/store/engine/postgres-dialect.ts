/** Kysely on PostgreSQL: every statement has a name, so that each connection parses and plans it only once. */
import { createHash } from 'node:crypto';
import {
  type BinaryOperationNode,
  type Driver,
  OperatorNode,
  PostgresDialect,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryCompiler,
} from 'kysely';
import type { Pool } from 'pg';
import { readErrorCode } from '#platform/error-code.ts';

/** Each name costs the server some memory per connection. The service has fewer statements; any beyond have no name. */
const MAX_NAMES = 800;
/** Longer statements insert many rows at once, with another text for each number of rows. */
const MAX_NAMED_LENGTH = 4_000;
const NAMED = /^(?:select|insert|update|delete|with)\b/;
/** SQLSTATE: among other causes, the columns of a table have changed since the statement was planned. */
const FEATURE_NOT_SUPPORTED = '0A000';
/** SQLSTATE: a statement name that is unknown, or in use. A pooler may give each transaction another session. */
const NAME_FAULTS: readonly string[] = ['26000', '42P05'];
export const STALE_STATEMENT_CODES: readonly string[] = [FEATURE_NOT_SUPPORTED, ...NAME_FAULTS];

type Send = (...values: readonly unknown[]) => Promise<unknown>;

export class NamingPostgresDialect extends PostgresDialect {
  /** What the pool and its connections have thrown. */
  readonly ownErrors = new WeakSet<object>();
  readonly #mark = (error: object): never => {
    this.ownErrors.add(error);
    throw error;
  };

  constructor(pool: Pool) {
    super({ pool });
    nameStatements(pool);
    markErrors(pool, this.#mark);
  }

  override createDriver(): Driver {
    const driver = super.createDriver();
    const acquireConnection = driver.acquireConnection.bind(driver);
    return Object.assign(driver, { acquireConnection: () => acquireConnection().catch(this.#mark) });
  }

  override createQueryCompiler(): QueryCompiler {
    return new ListCompiler();
  }
}

/** Sends a list as one value, so that lists of any length share one statement. */
class ListCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    const how = OperatorNode.is(operator) && LIST_OPERATORS.get(operator.operator);
    if (how && PrimitiveValueListNode.is(rightOperand)) {
      this.visitNode(leftOperand);
      this.append(` ${how}(`);
      this.appendValue([...rightOperand.values]);
      this.append(')');
    } else super.visitBinaryOperation(node);
  }
}

const LIST_OPERATORS = new Map<string, string>([
  ['in', '= any'],
  ['not in', '<> all'],
]);

function nameStatements(pool: Pool): void {
  const names = new Map<string, string>();
  let generation = 0;
  let maxNames = MAX_NAMES;
  const findName = (text: string): string | null => {
    if (names.size >= maxNames && !names.has(text)) return null;
    const name = names.get(text) ?? `s${generation}_${hashText(text)}`;
    names.set(text, name);
    return name;
  };
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as unknown as Send;
    const sendNamed: Send = async (...values) => {
      const [text, parameters] = values;
      const isNamed =
        values.length === 2 && typeof text === 'string' && text.length < MAX_NAMED_LENGTH && NAMED.test(text);
      const name = isNamed ? findName(text) : null;
      if (!isNamed || name === null) return await send(...values);
      try {
        return await send({ name, text, values: parameters });
      } catch (error) {
        const code = readErrorCode(error);
        if (!STALE_STATEMENT_CODES.includes(code)) throw error;
        if (NAME_FAULTS.includes(code)) maxNames = 0;
        // Another instance has changed the schema. With new names, the server plans again; transactions retry.
        if (names.get(text) === name) {
          generation += 1;
          names.clear();
        }
        return await send(...values).catch(() => {
          throw error;
        });
      }
    };
    Object.assign(client, { query: sendNamed });
  });
}

function markErrors(pool: Pool, mark: (error: object) => never): void {
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as unknown as Send;
    Object.assign(client, { query: (...values: unknown[]) => send(...values).catch(mark) });
  });
}

/** Names a statement by its text, so that the name means the same to all instances that share a session. */
function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
