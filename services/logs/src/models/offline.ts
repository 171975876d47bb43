/** Variables that keep libraries of the Hugging Face hub off the network, in any language. */
export const offlineVariables: Readonly<Record<string, string>> = {
  HF_HUB_OFFLINE: '1',
  TRANSFORMERS_OFFLINE: '1',
  HF_DATASETS_OFFLINE: '1',
}
