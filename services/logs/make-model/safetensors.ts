/** Tensors by name; `read` returns one as 32-bit floats. */
export type Safetensors = {
  names: readonly string[]
  read: (name: string) => { shape: number[]; data: Float32Array }
}

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] }

/** Reads a file of https://github.com/huggingface/safetensors: a length, a head in JSON, the bytes. Throws for types other than F32. */
export const openSafetensors = (file: Buffer): Safetensors => {
  const headLength = Number(file.readBigUInt64LE(0))
  const head = JSON.parse(file.toString('utf8', 8, 8 + headLength)) as Record<string, Entry>
  const start = 8 + headLength
  return {
    names: Object.keys(head),
    read: (name) => {
      const entry = head[name]
      if (!entry) throw new Error(`The weights have no tensor "${name}".`)
      if (entry.dtype !== 'F32') throw new Error(`The tensor "${name}" is ${entry.dtype}; only F32 is supported.`)
      const [from, to] = entry.data_offsets
      // Copied, since floats must be aligned to four bytes.
      return {
        shape: entry.shape,
        data: new Float32Array(Uint8Array.from(file.subarray(start + from, start + to)).buffer),
      }
    },
  }
}
