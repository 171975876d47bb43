export {
  type ChatEnd,
  type ChatLimits,
  type ChatMessage,
  type ChatOptions,
  type ChatPart,
  chat,
  chatLimits,
  complete,
  type ImageMessage,
  type LanguageModel,
  LanguageModelError,
} from './chat.ts'
export type { ShownText } from './thinking-filter.ts'
