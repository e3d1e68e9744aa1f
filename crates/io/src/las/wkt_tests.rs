use super::describe;

const FEET: &str = r#"PROJCS["Lambert",GEOGCS["GCS",DATUM["D",AUTHORITY["EPSG","6152"]],
    UNIT["degree",0.0174]],PARAMETER["false_easting",1312335.9],UNIT["foot",0.3048,AUTHORITY["EPSG","9002"]]]"#;
const MIXED: &str = r#"COMPD_CS["Oregon (m) + NAVD88",PROJCS["Oregon (m)",GEOGCS["NAD83",
    UNIT["degree",0.0174,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4269"]],UNIT["metre",1,AUTHORITY["EPSG","9001"]],
    AXIS["Easting",EAST],AUTHORITY["EPSG","2991"]],VERT_CS["NAVD88",UNIT["US survey foot",0.3048006],
    AUTHORITY["EPSG","6360"]]]"#;
const SECOND: &str = r#"PROJCRS["WGS 84 / UTM zone 33N",BASEGEOGCRS["WGS 84",ID["EPSG",4326]],
    CS[Cartesian,2],AXIS["(E)",east],LENGTHUNIT["metre",1],ID["EPSG",32633]]"#;

#[test]
fn the_number_and_the_unit_are_those_of_the_system() {
    // The number of the unit is not that of the system.
    assert_eq!(describe(FEET).as_deref(), Some("Lambert, in foot"));
    assert_eq!(
        describe(MIXED).as_deref(),
        Some("Oregon (m) + NAVD88 (EPSG:2991+6360), in metre with heights in US survey foot")
    );
    assert_eq!(describe(SECOND).as_deref(), Some("WGS 84 / UTM zone 33N (EPSG:32633), in metre"));
    let globe = r#"GEOGCS["WGS 84",UNIT["degree",0.0174],AUTHORITY["EPSG","4326"]]"#;
    assert_eq!(describe(globe).as_deref(), Some("WGS 84 (EPSG:4326), in degree"));
}

#[test]
fn odd_texts_give_what_they_have() {
    assert_eq!(describe(r#"LOCAL_CS["a place"]]]],["#).as_deref(), Some("a place"));
    for text in ["", "nothing", "PROJCS[", "]]", "PROJCS[\"open"] {
        assert!(describe(text).is_none_or(|t| t == "open"), "{text}");
    }
}
