/** Encodes an event or a job as bytes, and decodes it. */
export type Codec<Value> = {
  encode: (value: Value) => Uint8Array
  decode: (bytes: Uint8Array) => Value
}

/** JSON text, for values whose shape only one service knows; values that cross services are protobuf messages. */
export const jsonCodec = <Value>(): Codec<Value> => ({
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes) => JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Value,
})

type GeneratedMessage<Message> = {
  encode: (message: Message) => { finish: () => Uint8Array }
  decode: (bytes: Uint8Array) => Message
}

/** A generated protobuf message as a codec. */
export const messageCodec = <Message>(generated: GeneratedMessage<Message>): Codec<Message> => ({
  encode: (message) => generated.encode(message).finish(),
  decode: (bytes) => generated.decode(bytes),
})
