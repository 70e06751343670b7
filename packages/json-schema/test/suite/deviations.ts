/**
 * All tests of the suite whose outcome is another than the suite expects, with the reason. A path may name a file, a group or a
 * test; all tests below it have to deviate, and no others.
 */
export const DEVIATIONS: readonly { readonly reason: string; readonly paths: readonly string[] }[] = [
  {
    reason:
      "Refers to another document, which is never fetched: schemas have to be self-contained. Meta-schemas are not built in either.",
    paths: [
      "draft2020-12/defs.json › validate definition against metaschema",
      "draft2020-12/dynamicRef.json › strict-tree schema, guards against misspelled properties",
      "draft2020-12/dynamicRef.json › tests for implementation dynamic anchor and reference link",
      "draft2020-12/dynamicRef.json › $ref and $dynamicAnchor are independent of order - $defs first",
      "draft2020-12/dynamicRef.json › $ref and $dynamicAnchor are independent of order - $ref first",
      "draft2020-12/dynamicRef.json › $ref to $dynamicRef finds detached $dynamicAnchor",
      "draft2020-12/ref.json › remote ref, containing refs itself",
      "draft2020-12/optional/cross-draft.json",
      "draft2020-12/refRemote.json",
      "draft2019-09/defs.json › validate definition against metaschema",
      "draft2019-09/ref.json › remote ref, containing refs itself",
      "draft2019-09/optional/cross-draft.json",
      "draft2019-09/refRemote.json",
      "draft7/definitions.json › validate definition against metaschema",
      "draft7/ref.json › remote ref, containing refs itself",
      "draft7/optional/cross-draft.json",
      "draft7/refRemote.json",
    ],
  },
  {
    reason:
      "Has dynamic references with several possible targets: only meta-schemas need these, and they are refused with a hint to use `$ref`.",
    paths: [
      "draft2020-12/dynamicRef.json › A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated",
      "draft2020-12/dynamicRef.json › A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
      "draft2020-12/dynamicRef.json › A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope",
      "draft2020-12/dynamicRef.json › multiple dynamic paths to the $dynamicRef keyword",
      "draft2020-12/dynamicRef.json › after leaving a dynamic scope, it is not used by a $dynamicRef",
      "draft2020-12/dynamicRef.json › $dynamicRef skips over intermediate resources - direct reference",
      "draft2020-12/dynamicRef.json › $dynamicRef avoids the root of each schema, but scopes are still registered",
      "draft2020-12/optional/dynamicRef.json › $dynamicRef skips over intermediate resources - pointer reference across resource boundary",
      "draft2020-12/unevaluatedItems.json › unevaluatedItems with $dynamicRef",
      "draft2020-12/unevaluatedProperties.json › unevaluatedProperties with $dynamicRef",
      "draft2019-09/recursiveRef.json › $recursiveRef with nesting",
      "draft2019-09/recursiveRef.json › multiple dynamic paths to the $recursiveRef keyword",
      "draft2019-09/recursiveRef.json › dynamic $recursiveRef destination (not predictable at schema compile time)",
      "draft2019-09/unevaluatedItems.json › unevaluatedItems with $recursiveRef",
      "draft2019-09/unevaluatedProperties.json › unevaluatedProperties with $recursiveRef",
    ],
  },
  {
    reason:
      "Names a meta-schema of its own in `$schema`: only the three standard dialects are supported, others are refused.",
    paths: [
      "draft2020-12/optional/format-assertion.json › schema that uses custom metaschema with format-assertion: false",
      "draft2020-12/optional/format-assertion.json › schema that uses custom metaschema with format-assertion: true",
      "draft2020-12/vocabulary.json › schema that uses custom metaschema with with no validation vocabulary",
      "draft2020-12/vocabulary.json › ignore unrecognized optional vocabulary",
      "draft2019-09/vocabulary.json › schema that uses custom metaschema with with no validation vocabulary",
      "draft2019-09/vocabulary.json › ignore unrecognized optional vocabulary",
    ],
  },
  {
    reason:
      "Units may be skipped, as ISO 8601 allows it: RFC 3339 would refuse `P1Y2D`, which libraries write and read.",
    paths: [
      "draft2020-12/optional/format/duration.json › validation of duration strings › years and days cannot appear without months",
      "draft2020-12/optional/format/duration.json › validation of duration strings › hours and seconds cannot appear without minutes",
      "draft2019-09/optional/format/duration.json › validation of duration strings › years and days cannot appear without months",
      "draft2019-09/optional/format/duration.json › validation of duration strings › hours and seconds cannot appear without minutes",
    ],
  },
  {
    reason:
      "Content is an annotation, as it is in later dialects: the suite asks for the optional assertion of draft-07.",
    paths: [
      "draft7/optional/content.json › validation of string-encoded content based on media type › an invalid JSON document",
      "draft7/optional/content.json › validation of binary string-encoding › an invalid base64 string (% is not a valid character)",
      "draft7/optional/content.json › validation of binary-encoded media type documents › a validly-encoded invalid JSON document",
      "draft7/optional/content.json › validation of binary-encoded media type documents › an invalid base64 string that is valid JSON",
    ],
  },
];
