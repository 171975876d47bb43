import type { Blocks } from './blocks.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { encodeHeader, headerBytes, type Section, type SectionName } from './segment-layout.ts'

/** The bytes of a segment as they come, section by section, after its header. */
export type SectionWriter = {
  readonly content: ByteWriter
  readonly sections: Partial<Record<SectionName, Section>>
  /** All that was written to `content` since the section before is one. */
  end: (name: SectionName) => void
}

/** `room` is about how many bytes there will be: it grows past them, which takes twice the memory for a while. */
export const createSectionWriter = (room: number, blocks: Blocks): SectionWriter => {
  const content = createByteWriter(room, blocks)
  const sections: SectionWriter['sections'] = {}
  let offset = headerBytes
  content.bytes(encodeHeader())
  return {
    content,
    sections,
    end(name) {
      sections[name] = { offset, bytes: content.length - offset }
      offset = content.length
    },
  }
}
