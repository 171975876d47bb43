import type { Blocks } from './blocks.ts'
import { type ByteWriter, createByteWriter } from './byte-writer.ts'
import { encodeHeader, headerBytes, type Section, type SectionName } from './segment-layout.ts'

/** The bytes of a segment, section by section, after its header. */
export type SectionWriter = {
  readonly content: ByteWriter
  readonly sections: Partial<Record<SectionName, Section>>
  /** Ends a section: it contains everything written to `content` since the previous one. */
  end: (name: SectionName) => void
}

/** `capacity` is the expected number of bytes: to grow beyond it takes twice the memory for a while. */
export const createSectionWriter = (capacity: number, blocks: Blocks): SectionWriter => {
  const content = createByteWriter(capacity, blocks)
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
