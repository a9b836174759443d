import type { JSONSchema7 } from 'json-schema';
import { isOption, type FieldDescriptor, type OptionDescriptor, type OptionGroup } from './descriptor.ts';

/** The JSON Schema of a group of options: nothing is required, nothing unknown is allowed. */
export function schemaOfGroup(group: OptionGroup): JSONSchema7 {
  const properties: Record<string, JSONSchema7> = {};
  for (const [name, entry] of Object.entries(group)) {
    properties[name] = isOption(entry) ? schemaOfOption(entry) : schemaOfGroup(entry);
  }
  return { type: 'object', properties, additionalProperties: false };
}

function schemaOfOption(option: OptionDescriptor): JSONSchema7 {
  return { description: option.description, default: structuredClone(option.default) as never, ...typeOf(option) };
}

function typeOf(option: OptionDescriptor): JSONSchema7 {
  switch (option.kind) {
    case 'number':
      return { type: option.integer ? 'integer' : 'number', minimum: option.min, maximum: option.max };
    case 'flag':
      return { type: 'boolean' };
    case 'text':
      return { type: 'string', maxLength: option.maxLength, ...pattern(option.pattern) };
    case 'choice':
      return { type: 'string', enum: [...option.choices] };
    case 'text-list':
      return {
        type: 'array',
        items: { type: 'string', ...pattern(option.itemPattern) },
        ...(option.minItems === undefined ? {} : { minItems: option.minItems }),
      };
    case 'text-map':
      return { type: 'object', additionalProperties: { type: 'string', ...pattern(option.valuePattern) } };
    case 'object-list':
      return { type: 'array', items: schemaOfFields(option.fields) };
    case 'object':
      return schemaOfFields(option.fields);
  }
}

function schemaOfFields(fields: Readonly<Record<string, FieldDescriptor>>): JSONSchema7 {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOfOption(field)])),
    required: Object.keys(fields).filter((name) => fields[name]?.required),
    additionalProperties: false,
  };
}

function pattern(source: string | undefined): JSONSchema7 {
  return source === undefined ? {} : { pattern: source };
}
