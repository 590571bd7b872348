import { Buffer } from 'node:buffer';
import protobuf from 'protobufjs';

const field = (id: number, type: string, more: { readonly rule?: string } = {}) => ({ id, type, ...more });

/**
 * The part of Spark Connect's protocol that is spoken here, by the field numbers of its `base.proto`, `commands.proto` and
 * `relations.proto` (Spark 4.0; a number never changes its meaning). What else comes is skipped.
 */
const root = protobuf.Root.fromJSON({
  nested: {
    UserContext: { fields: { user_id: field(1, 'string'), user_name: field(2, 'string') } },
    Sql: { fields: { query: field(1, 'string') } },
    Relation: { fields: { sql: field(10, 'Sql') } },
    SqlCommand: { fields: { input: field(6, 'Relation') } },
    Command: { fields: { sql_command: field(5, 'SqlCommand') } },
    Plan: { fields: { root: field(1, 'Relation'), command: field(2, 'Command') } },
    ExecutePlanRequest: {
      fields: {
        session_id: field(1, 'string'),
        user_context: field(2, 'UserContext'),
        plan: field(3, 'Plan'),
        client_type: field(4, 'string'),
        operation_id: field(6, 'string'),
      },
    },
    ArrowBatch: { fields: { data: field(2, 'bytes') } },
    ExecutePlanResponse: { fields: { arrow_batch: field(2, 'ArrowBatch') } },
    InterruptRequest: {
      fields: {
        session_id: field(1, 'string'),
        user_context: field(2, 'UserContext'),
        client_type: field(3, 'string'),
        interrupt_type: field(4, 'int32'),
        operation_id: field(6, 'string'),
      },
    },
    InterruptResponse: { fields: { interrupted_ids: field(2, 'string', { rule: 'repeated' }) } },
    ReleaseSessionRequest: {
      fields: {
        session_id: field(1, 'string'),
        user_context: field(2, 'UserContext'),
        client_type: field(3, 'string'),
      },
    },
    ReleaseSessionResponse: { fields: { session_id: field(1, 'string') } },
  },
});

/** Whose session a call is of. */
export interface CallOf {
  readonly session_id: string;
  readonly user_context: { readonly user_id: string; readonly user_name: string };
  readonly client_type: string;
}

export interface ExecutePlanResponse {
  readonly arrow_batch?: { readonly data: Uint8Array } | null | undefined;
}

/** `INTERRUPT_TYPE_OPERATION_ID` */
export const interruptOperation = 3;

const service = '/spark.connect.SparkConnectService';

const codec = (name: string) => {
  const type = root.lookupType(name);
  return {
    serialize: (value: object): Buffer => Buffer.from(type.encode(type.fromObject(value)).finish()),
    deserialize: (bytes: Buffer): unknown => type.decode(bytes),
  };
};

const call = (name: string, responseStream = false) => {
  const [request, response] = [codec(`${name}Request`), codec(`${name}Response`)];
  return {
    path: `${service}/${name}`,
    requestStream: false,
    responseStream,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
  };
};

/** The calls of the service, as gRPC's client takes them. */
export const connectService = {
  ExecutePlan: call('ExecutePlan', true),
  Interrupt: call('Interrupt'),
  ReleaseSession: call('ReleaseSession'),
};
